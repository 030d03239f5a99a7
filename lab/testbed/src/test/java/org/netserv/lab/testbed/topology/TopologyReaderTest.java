// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.lab.testbed.base.LabHome;

final class TopologyReaderTest {
  private static final String GOOD =
      """
      name: small
      nodes:
        one:
          interfaces: {eth0: [192.0.2.1/24, "2001:db8::1/64"]}
          routes: [default via 192.0.2.2]
          sysctls: {net.ipv4.conf.all.rp_filter: 2}
          forward: true
          masquerade: [eth0]
          firewall: [-A FORWARD -j ACCEPT]
          daemons: [kamailio: {port: 5060}]
        two:
          interfaces: {eth0: [192.0.2.2/24]}
      links:
        - {ends: [one/eth0, two/eth0], mtu: 1400, impairment: {delay: 20, loss: 0.5, seed: 7}}
      """;

  @Test
  void readsEverything() throws Exception {
    Topology topology = TopologyReader.parse(GOOD);
    Topology.Node one = topology.node("one");
    assertEquals(List.of("one", "two"), List.copyOf(topology.nodes().keySet()));
    assertEquals("192.0.2.1/24", one.address(false).toString());
    assertEquals(64, one.address(true).length());
    assertEquals("2", one.sysctls().get("net.ipv4.conf.all.rp_filter"));
    assertEquals(5060, one.daemons().get(0).options().path("port").asInt());
    Topology.Link link = topology.links().get(0);
    assertEquals(1400, link.mtu());
    assertTrue(link.impairment().relayed());
    assertTrue(link.impairment().options().contains("--seed=7"));
    assertEquals(0, topology.without("kamailio").node("one").daemons().size());
  }

  /** Changes the good file, and checks the place and reason that the refusal names. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: small | name: Small | name: 'Small' is not",
        "name: small | name: a-name-that-is-much-too-long | name:",
        "name: small | nam: small | nam: unknown key",
        "two: | Two: | nodes.Two: a node's name",
        "forward: true | forward: maybe | nodes.one.forward: expected true or false",
        "192.0.2.1/24 | 192.0.2.256/24 | nodes.one.interfaces.eth0: '192.0.2.256/24' is not",
        "192.0.2.1/24 | 192.0.2.1/33 | nodes.one.interfaces.eth0:",
        "192.0.2.1/24 | router.example/24 | nodes.one.interfaces.eth0:",
        "192.0.2.1/24 | 192.0.2.1 | is not an address with its length",
        "default via 192.0.2.2 | default over 192.0.2.2 | nodes.one.routes:",
        "default via 192.0.2.2 | default via gateway | nodes.one.routes:",
        "net.ipv4.conf.all.rp_filter | kernel.panic | nodes.one.sysctls.kernel.panic: only sysctls",
        "masquerade: [eth0] | masquerade: [eth1] | nodes.one.masquerade: one has no interface eth1",
        "[-A FORWARD -j ACCEPT] | [FORWARD] | nodes.one.firewall: 'FORWARD'",
        "kamailio: {port: 5060} | asterisk: {} | nodes.one.daemons[0]: expected one of",
        "kamailio: {port: 5060} | kamailio: {port: 0} | kamailio.port: expected a whole number",
        "kamailio: {port: 5060} | kamailio: {prt: 1} | kamailio.prt: unknown key",
        "kamailio: {port: 5060} | command: {run: [true]} | command.name: expected a text",
        "two/eth0] | three/eth0] | links[0].ends: there is no node 'three'",
        "two/eth0] | two/eth1] | links[0].ends: two has no interface 'eth1'",
        "two/eth0] | one/eth0] | links[0].ends: one/eth0 is used twice",
        "two/eth0] | two] | links[0].ends: 'two' is not NODE/INTERFACE",
        "'[one/eth0, two/eth0]' | '[one/eth0]' | links[0].ends: a link has two ends",
        "mtu: 1400 | mtu: 100 | links[0].mtu: expected a whole number from 1280",
        "loss: 0.5 | loss: 1.5 | links[0].impairment.loss: expected a number from 0.0 to 1.0",
        "loss: 0.5 | loss: .nan | line 14: Malformed numeric value",
        "delay: 20 | delay: 20ms | links[0].impairment.delay:",
        "interfaces: {eth0: [192.0.2.2/24]} | interfaces: {eth0: [], eth1: []} | eth1: no link ends here",
        "name: small | name: [small | line",
      })
  void refusesAndNamesThePlace(String part, String wrong, String reason) {
    String yaml = GOOD.replace(part, wrong);
    assertFalse(yaml.equals(GOOD), "the case changes something");
    TopologyException e = assertThrows(TopologyException.class, () -> TopologyReader.parse(yaml));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @TempDir Path directory;

  private Topology extended(String differences) throws Exception {
    Files.writeString(directory.resolve("small.yaml"), GOOD);
    Path file = directory.resolve("more.yaml");
    Files.writeString(file, differences);
    return TopologyReader.read(file);
  }

  @Test
  void anExtendingFileSaysOnlyWhatIsDifferent() throws Exception {
    Topology topology =
        extended(
            """
            extends: small
            name: more
            nodes:
              one:
                masquerade: null
                routes: [10.0.0.0/8 via 192.0.2.2]
                sysctls: {net.ipv4.ip_forward: 1}
              two:
                interfaces: {eth1: [198.51.100.1/24]}
              three:
                interfaces: {eth0: [198.51.100.2/24], eth1: [192.0.2.3/24]}
              four:
                interfaces: {eth0: [192.0.2.9/24]}
            links:
              - ends: [one/eth0, three/eth1]
              - ends: [two/eth1, three/eth0]
              - ends: [two/eth0, four/eth0]
            """);
    Topology.Node one = topology.node("one");
    assertEquals("more", topology.name());
    assertEquals(List.of("one", "two", "three", "four"), List.copyOf(topology.nodes().keySet()));
    assertEquals(List.of(), one.masquerade());
    assertEquals(List.of("10.0.0.0/8 via 192.0.2.2"), one.routes());
    assertEquals(2, one.sysctls().size(), "mappings are laid over each other");
    assertEquals(List.of("-A FORWARD -j ACCEPT"), one.firewall());
    assertEquals(List.of("eth0", "eth1"), List.copyOf(topology.node("two").interfaces().keySet()));
    assertEquals(3, topology.links().size(), "the base's link used both ends and is gone");
    assertFalse(topology.links().get(0).impairment().relayed());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "extends: other | extends: there is no",
        "extends: ../small | extends: '../small' is not",
        "extends: [small] | extends: expected a text",
        "extends: more | itself",
      })
  void refusesWhatCannotBeExtended(String line, String reason) {
    TopologyException e =
        assertThrows(TopologyException.class, () -> extended(line + "\nname: more\n"));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    assertThrows(TopologyException.class, () -> TopologyReader.parse(line + "\n" + GOOD));
  }

  @Test
  void refusesAKeyGivenTwice() {
    TopologyException e =
        assertThrows(TopologyException.class, () -> TopologyReader.parse(GOOD + "name: again\n"));
    assertTrue(e.getMessage().contains("line"), e.getMessage());
  }

  @Test
  void everyTruncationIsReadOrRefused() {
    int refused = 0;
    for (int length = 0; length < GOOD.length(); length++) {
      try {
        TopologyReader.parse(GOOD.substring(0, length));
      } catch (TopologyException e) {
        refused++;
      }
    }
    assertTrue(refused > GOOD.length() / 2, refused + " refused");
  }

  @Test
  void allTopologiesOfTheLabAreRightAndCanBeDrawn() throws Exception {
    int read = 0;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(LabHome.file("topologies"), "*.yaml")) {
      for (Path file : files) {
        Topology topology = TopologyReader.read(file);
        assertEquals(topology.name() + ".yaml", file.getFileName().toString());
        String text = TextGraph.draw(topology);
        String svg = SvgGraph.draw(topology);
        for (Topology.Node node : topology.nodes().values()) {
          assertTrue(text.contains("| " + node.name() + " |"), text);
          assertTrue(svg.contains(">" + node.name() + "</text>"), svg);
        }
        read++;
      }
    }
    assertTrue(read >= 4, read + " topologies");
  }

  @Test
  void drawsEachLinkOnce() throws Exception {
    assertEquals(
        """
        lab small
          +-----+
          | one |  kamailio, masquerades eth0
          +-----+
            eth0 192.0.2.1/24 2001:db8::1/64 ---- [loss 50.0 %, 20.0 ms] ---- two/eth0 192.0.2.2/24
          +-----+
          | two |
          +-----+
        """,
        TextGraph.draw(TopologyReader.parse(GOOD)));
  }

  @Test
  void drawsThePathThatWasRevealed() throws Exception {
    Topology topology = TopologyReader.read(LabHome.file("topologies/path-nat.yaml"));
    java.net.InetAddress user = topology.outside(topology.node("user"));
    assertEquals("198.51.100.2", user.getHostAddress());
    Revealed path =
        Revealed.of(
            topology,
            "publisher",
            List.of("10.0.1.1", "2001:db8:a3::1", "203.0.113.9"),
            user,
            "port-unreachable");
    String text = TextGraph.draw(topology, path);
    assertTrue(
        text.contains("path publisher > a > b > 203.0.113.9 > nat (port-unreachable)\n"), text);
    assertTrue(text.contains("| a |  (1)  netserv, router"), text);
    assertTrue(text.contains("| b |  (2)  netserv, router"), text);
    assertTrue(text.contains("| c |  netserv, router"), text);
    String svg = SvgGraph.draw(topology, path);
    assertEquals(3, svg.split("class=\"revealed\"", -1).length - 1, svg);
    assertEquals(2, svg.split("#fdd9b5", -1).length - 1, svg);
  }

  @Test
  void svgIsWellFormed() throws Exception {
    byte[] svg = SvgGraph.draw(TopologyReader.parse(GOOD)).getBytes(StandardCharsets.UTF_8);
    var document =
        javax.xml.parsers.DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new java.io.ByteArrayInputStream(svg));
    assertEquals(1, document.getElementsByTagName("path").getLength());
  }
}
