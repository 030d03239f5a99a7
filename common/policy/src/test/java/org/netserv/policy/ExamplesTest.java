// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the commented examples against their own claims. */
class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "..", "policies");

  @Test
  void nodeExampleStatesTheDefaults(@TempDir Path empty) throws Exception {
    NodePolicy example = NodePolicy.load(EXAMPLES);
    NodePolicy defaults = NodePolicy.load(empty);
    assertEquals(defaults.interfaces(), example.interfaces());
    assertEquals(defaults.sysctlMode(), example.sysctlMode());
    assertEquals(defaults.freshness(), example.freshness());
    assertEquals(defaults.probesPerMinute(), example.probesPerMinute());
    assertEquals(defaults.fetch(), example.fetch());
    assertEquals(defaults.log(), example.log());
    assertEquals(defaults.signaling(), example.signaling());
    assertEquals(defaults.isolation(), example.isolation());
    assertEquals(defaults.spares(), example.spares());
    assertEquals(defaults.containers(), example.containers());
    assertEquals(defaults.packetProcessors(), example.packetProcessors());
    assertEquals(defaults.fastPath(), example.fastPath());
  }

  @Test
  void publisherExampleStatesTheDefaultQuotas(@TempDir Path empty) throws Exception {
    PublisherPolicy example = NodePolicy.load(EXAMPLES).publisher("example").orElseThrow();
    PublisherPolicy defaults = new Etc(empty).alice().load().publisher("alice").orElseThrow();
    assertEquals(defaults.quotas(), example.quotas());
    assertEquals(defaults.quotas(), Quotas.DEFAULTS);
    assertEquals(defaults.limits(), example.limits());
    assertEquals(defaults.plane(), example.plane());
    assertEquals(defaults.process(), example.process());
  }
}
