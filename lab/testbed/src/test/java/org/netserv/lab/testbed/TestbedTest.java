// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

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
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.topology.Address;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.TopologyReader;

/** Builds testbeds of real namespaces and real programs. Needs root. */
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
      assertThrows(LabException.class, () -> Testbed.up(testbed.topology(), out));
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
      // `one` loses every third of 30 requests, and `two` every third of 20 answers.
      assertTrue(sent.contains(" 13 received") || sent.contains(" 14 received"), sent);
    }
  }

  /** Checks that peers' interface addresses are reachable, not only the ends of the path. */
  @ParameterizedTest
  @ValueSource(strings = {"path", "path-asymmetric", "path-nat", "path-reroute"})
  void theNodesOfAPathReachEachOther(String name) throws Exception {
    Topology topology = plain(name);
    int pings = 0;
    try (Testbed testbed = Testbed.temporary(topology, out)) {
      for (String from : List.of("publisher", "a", "b", "c")) {
        for (String to : List.of("publisher", "a", "b", "c")) {
          for (List<Address> addresses : topology.node(to).interfaces().values()) {
            // b and c have no route to the way back's own networks.
            for (Address address : addresses.subList(0, from.equals(to) ? 0 : addresses.size())) {
              if (!address.toString().matches("10\\.0\\.[567]\\..*|2001:db8:a[567]:.*")) {
                testbed.run(from, "ping", "-c", "1", "-W", "5", address.ip().getHostAddress());
                pings++;
              }
            }
          }
        }
      }
      String user = name.equals("path-nat") ? "198.51.100.2" : "198.51.100.10";
      testbed.run("publisher", "ping", "-c", "1", "-W", "5", user);
      testbed.run(
          "publisher", "ping", "-c", "1", "-W", "5", host(topology.node("user").address(true)));
      testbed.run("user", "ping", "-c", "1", "-W", "5", "192.0.2.10");
    }
    assertEquals(3 * 2 * 7, pings);
  }

  private static Topology plain(String name) throws Exception {
    Topology topology =
        TopologyReader.read(LabHome.file("topologies/" + name + ".yaml")).without("netserv");
    return new Topology("labtest", topology.nodes(), topology.links());
  }

  private static String host(Address address) {
    return address.ip().getHostAddress();
  }

  /** Checks that the publisher's packets to the user pass b, unless they are sent around it. */
  @Test
  void aChangedRouteLeadsPastAnotherNode() throws Exception {
    try (Testbed testbed = Testbed.temporary(plain("path-reroute"), out)) {
      assertTrue(crosses(testbed, "b"), "first past b");
      for (String command :
          List.of(
              "-n nsl-labtest.p1 route replace default via 10.0.5.2",
              "-n nsl-labtest.p2 route replace default via 10.0.6.1")) {
        Shell.run(("ip " + command).split(" ", -1));
      }
      assertFalse(crosses(testbed, "b"), "then no more");
      assertTrue(crosses(testbed, "d"), "but past d");
    }
  }

  private static boolean crosses(Testbed testbed, String node) throws Exception {
    PacketCounter counter = PacketCounter.install(testbed, node, "west", 7);
    testbed.run("publisher", "bash", "-c", "echo x >/dev/udp/198.51.100.10/7");
    Wait.pause(100);
    return counter.read() > 0;
  }
}
