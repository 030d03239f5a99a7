// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.tool.GistSink;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.TopologyReader;

/** Runs the senders of GIST packets and their sink over a plain link. Needs root. */
final class GistPacketsTest {
  private static final int COUNT = 3 * 50;

  @TempDir static Path directory;

  @BeforeAll
  static void build() throws IOException {
    NativeTools.build(directory);
  }

  @Test
  void everyKindArrivesAndAKernelFindsTheChecksumsRight() throws Exception {
    Topology relay = TopologyReader.read(LabHome.file("topologies/relay.yaml"));
    Topology topology =
        new Topology(
            "labtest",
            relay.nodes(),
            relay.links().stream()
                .map(
                    link ->
                        new Topology.Link(
                            link.a(),
                            link.b(),
                            link.mtu(),
                            org.netserv.lab.testbed.topology.Impairment.NONE))
                .toList());
    PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    try (Testbed testbed = Testbed.temporary(topology, out)) {
      for (boolean v6 : new boolean[] {false, true}) {
        String sink = "sink" + (v6 ? 6 : 4);
        Tool received =
            Tool.start(testbed, "far", sink, GistSink.class, COUNT, v6 ? 6 : 4).await("ready");
        Map<String, Long> sent =
            Tool.start(testbed, "near", "source-" + sink, transit(v6)).result(20);
        assertEquals(COUNT, sent.get("sent"));
        assertEquals(
            Map.of("queries", 50L, "data", 50L, "noise", 50L, "damaged", 0L, "handled", 0L),
            received.result(20));
      }
      // A Query to a port where nobody listens has the length in its header, because the kernel
      // takes it.
      String queries = directory.resolve("lab-gist").toString();
      testbed.run("near", queries, "queries", "198.18.0.0/16", "192.0.2.2", "20", "0", "7");
      testbed.run("near", queries, "confirms", "2001:db8:5::/48", "2001:db8:1::2", "20", "0", "7");
      String counters = testbed.run("far", "nstat", "-a", "-z", "UdpNoPorts", "Udp6NoPorts");
      assertTrue(counters.matches("(?s).*UdpNoPorts +20 .*Udp6NoPorts +20 .*"), counters);
    }
  }

  private static List<String> transit(boolean v6) {
    return List.of(
        directory.resolve("lab-gist").toString(),
        "transit",
        v6 ? "2001:db8:1::1" : "192.0.2.1",
        v6 ? "2001:db8:1::2" : "192.0.2.2",
        Integer.toString(COUNT),
        "500",
        "1");
  }
}
