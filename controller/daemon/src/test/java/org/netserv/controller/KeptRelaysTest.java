// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The kernel keeps the relays of a container that has died for its next start. They are forgotten
 * at once when a module that may have asked for them is not to come back.
 */
final class KeptRelaysTest extends LivingNode {
  private long forgotten() {
    return node.spawner.asked.stream()
        .filter(r -> r.verb().equals("forget") && r.values().equals(Map.of("container", "jane")))
        .count();
  }

  @Test
  void aContainerThatComesBackFindsThem() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.die("jane", "");
    node.loop.advance(5_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(0, forgotten());
  }

  @Test
  void aRemoveMeanwhileForgetsThem() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.die("jane", "");
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(1, forgotten());
    node.loop.advance(5_000);
    assertEquals("", states());
    assertEquals(1, forgotten(), "once is enough");
  }

  @Test
  void aRemoveOfOneModuleForgetsThoseOfAll() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    node.die("jane", "");
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(1, forgotten());
    node.loop.advance(5_000);
    assertEquals("jane/c.d=1.0.0:running", states());
    assertEquals(1, forgotten());
  }

  @Test
  void aPolicyWithoutThePublisherForgetsThem() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.die("jane", "");
    node.settings.publishers.remove("jane");
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    assertEquals(1, forgotten());
    node.loop.advance(5_000);
    assertEquals("", states());
  }

  @Test
  void anOrderlyRemoveHasNothingToForget() throws Exception {
    setup("jane", "a.b", "1.0.0");
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    node.loop.advance(5_000);
    assertEquals(0, forgotten());
  }

  @Test
  void aModuleThatIsGivenUpForCrashesLeavesNone() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    for (int i = 0; i < 5; i++) {
      assertEquals(0, forgotten());
      node.die("jane", "kind=crash module=a.b");
      node.loop.advance(60_000);
    }
    assertEquals("jane/c.d=1.0.0:running", states());
    assertEquals(2, forgotten(), "of the death before, and when the last death is known");
  }
}
