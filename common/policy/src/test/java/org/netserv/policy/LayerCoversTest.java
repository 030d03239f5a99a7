// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayerCoversTest {
  private static final String PORTS = "landlock-net";

  private static IsolationPolicy policy(Set<String> accepted, Set<String> required) {
    return new IsolationPolicy(Set.of(), accepted, required);
  }

  @Test
  void theTableNamesLayersAndNoCoverNeedsACover() {
    LayerCovers.all()
        .forEach(
            (layer, by) -> {
              assertTrue(IsolationPolicy.LAYERS.contains(layer), layer);
              assertFalse(by.isEmpty(), layer);
              for (String other : by) {
                assertTrue(IsolationPolicy.LAYERS.contains(other), other);
                assertFalse(LayerCovers.all().containsKey(other), other);
              }
            });
  }

  @Test
  void aLayerIsCoveredWhileAllThatCoverItAreThere() {
    assertEquals(Map.of(PORTS, List.of("net", "rules")), LayerCovers.among(Set.of(PORTS)));
    assertEquals(Map.of(), LayerCovers.among(Set.of(PORTS, "rules")));
    assertEquals(Map.of(), LayerCovers.among(Set.of(PORTS, "net")));
    assertEquals(Map.of(), LayerCovers.among(Set.of("landlock", "seccomp")));
    assertEquals(Map.of(), LayerCovers.among(Set.of()));
  }

  @Test
  void oneThatIsCoveredRefusesNobody() {
    assertEquals(Set.of(), IsolationPolicy.NONE.refusing(Set.of(PORTS)));
    assertEquals(Set.of("disk"), IsolationPolicy.NONE.refusing(Set.of(PORTS, "disk")));
    Set<String> both = Set.of(PORTS, "rules");
    assertEquals(both, IsolationPolicy.NONE.refusing(both));
    assertEquals(Set.of(PORTS), policy(Set.of("rules"), Set.of()).refusing(both));
  }

  @Test
  void oneThatIsRequiredIsMissedAllTheSame() {
    assertEquals(Set.of(PORTS), policy(Set.of(), Set.of(PORTS)).refusing(Set.of(PORTS)));
    assertEquals(Set.of(), policy(Set.of(), Set.of(PORTS)).refusing(Set.of()));
  }

  @Test
  void itIsSaidInWords() {
    assertEquals(
        List.of("landlock-net: missing, covered by net, rules"),
        LayerCovers.inWords(LayerCovers.among(Set.of(PORTS))));
  }
}
