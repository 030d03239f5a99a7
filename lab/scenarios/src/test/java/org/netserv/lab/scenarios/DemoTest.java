// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.TopologyReader;

/** Plays the demo's topology without a NetServ node, in real namespaces. Needs root. */
final class DemoTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);

  @Test
  void kamailioAnswersEveryAgentThroughThePlainRouter() throws Exception {
    Topology topology =
        TopologyReader.read(LabHome.file("topologies/keepalive.yaml")).without("netserv");
    Topology renamed = new Topology("labtest", topology.nodes(), topology.links());
    try (Testbed testbed = Testbed.temporary(renamed, out)) {
      Demo demo = new Demo(new Demo.Load(50, 100, 4, 4), new Report(out));
      demo.open(testbed);
      Demo.Phase phase = demo.measure("before", 4);
      assertEquals(200, phase.user().sent());
      assertEquals(200, phase.user().answered());
      assertEquals(0, phase.user().strange());
      assertEquals(200, phase.server());
      assertTrue(phase.served());
      assertFalse(phase.offloaded());
    }
  }
}
