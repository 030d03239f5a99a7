// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.lab.topology.Topology;
import org.netserv.lab.topology.TopologyReader;

/** Real namespaces, real programs; needs root. */
final class TestbedTest {
  private static final String TWO_HOSTS =
      """
      name: labtest
      nodes:
        one:
          interfaces: {eth0: [192.0.2.1/24, "2001:db8:1::1/64"]}
          daemons:
            - files: {port: 8080}
        two:
          interfaces: {eth0: [192.0.2.2/24, "2001:db8:1::2/64"]}
          sysctls: {net.ipv4.conf.eth0.rp_filter: 2}
      links:
        - ends: [one/eth0, two/eth0]
      """;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);

  @BeforeEach
  void root() throws IOException {
    assertEquals(
        0,
        Files.getAttribute(Path.of("/proc/self"), "unix:uid"),
        "this test makes network namespaces: run the tests as root");
  }

  private static Topology topology(String yaml) throws Exception {
    return TopologyReader.parse(yaml);
  }

  @Test
  void twoHostsReachEachOtherAndNothingIsLeft() throws Exception {
    try (Testbed testbed = Testbed.temporary(topology(TWO_HOSTS), out)) {
      assertTrue(
          testbed
              .run("one", "ping", "-c", "1", "-W", "5", "192.0.2.2")
              .contains(" 0% packet loss"));
      assertTrue(
          testbed
              .run("one", "ping", "-c", "1", "-W", "5", "2001:db8:1::2")
              .contains(" 0% packet loss"));
      assertEquals("2", testbed.run("two", "sysctl", "-n", "net.ipv4.conf.eth0.rp_filter").strip());
      assertTrue(Lab.list().contains("labtest"));
      assertThrows(CommandException.class, () -> Testbed.up(testbed.topology(), out));
      assertEquals(
          1, Namespaces.processes(Namespaces.of("labtest")).size(), "the file server runs");
    }
    assertFalse(Lab.list().contains("labtest"));
    assertEquals(0, Namespaces.of("labtest").size());
    assertFalse(Files.exists(LabHome.state("labtest")));
    assertEquals(0, Lab.down("labtest", out), "down twice is no error");
  }

  @Test
  void aFailedStartLeavesNothing() throws Exception {
    String wrong = TWO_HOSTS.replace("rp_filter: 2", "no_such_thing: 2");
    IOException e = assertThrows(IOException.class, () -> Testbed.temporary(topology(wrong), out));
    assertTrue(e.getMessage().contains("no_such_thing"), e.getMessage());
    assertEquals(0, Namespaces.of("labtest").size());
    assertFalse(Files.exists(LabHome.state("labtest")));
  }

  @Test
  void aCountingRuleLosesEveryThirdPacket() throws Exception {
    String lossy =
        TWO_HOSTS.replace(
            "[one/eth0, two/eth0]", "[one/eth0, two/eth0]\n    impairment: {drop-every: 3}");
    try (Testbed testbed = Testbed.temporary(topology(lossy), out)) {
      testbed.run("one", "ip", "neigh", "show");
      String sent = testbed.run("two", "sh", "-c", "ping -c 30 -i 0.01 -W 1 192.0.2.1 || true");
      // Of 30 requests each third is lost at `one`, of 20 answers each third at `two`.
      assertTrue(sent.contains(" 13 received") || sent.contains(" 14 received"), sent);
    }
  }

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
