// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.Prefix;

class NodePolicyTest {
  @TempDir private Path dir;

  private PolicyException refused(Etc etc) {
    return assertThrows(PolicyException.class, etc::load);
  }

  private void isSafe(NodePolicy node) {
    assertEquals(List.of(), node.interfaces());
    assertEquals(SysctlMode.CHECK, node.sysctlMode());
    assertEquals(Duration.ofMinutes(5), node.freshness());
    assertEquals(List.of(80, 443), node.fetch().ports());
    assertEquals(List.of(), node.fetch().allow());
    assertEquals(16 << 20, node.fetch().maxBytes());
    assertEquals("info", node.log().level());
    assertEquals(1, node.spares());
    assertEquals(4, node.standby());
    assertEquals(List.of(), node.packetProcessors());
    assertEquals("[100.64.0.0/18, fd6e:6574:7376::/48]", "" + node.containers().all());
    assertTrue(node.publishers().isEmpty());
    assertTrue(node.anchors().isEmpty());
  }

  @Test
  void nothingAtAllIsASafeNode() throws Exception {
    isSafe(NodePolicy.load(dir.resolve("absent")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "# a comment\n", "---\n", "{}"})
  void emptyFileIsASafeNode(String text) throws Exception {
    isSafe(new Etc(dir).node(text).load());
  }

  @Test
  void aLayerIsNotRequiredAndDispensable() throws Exception {
    String both = "isolation: {require: [landlock-net], accept-missing: [disk, landlock-net]}";
    PolicyException refused = refused(new Etc(dir).node(both));
    assertTrue(refused.getMessage().contains("$.isolation.require"), refused.getMessage());
    assertTrue(refused.getMessage().contains("landlock-net is in accept-missing, too"));
  }

  @Test
  void readsEverything() throws Exception {
    NodePolicy node =
        new Etc(dir)
            .node(
                "interfaces: [eth0, eth1.5]",
                "sysctl: set",
                "freshness: 60",
                "probes-per-minute: 0",
                "spares: 3",
                "standby: 0",
                "packet-processors: [2, 5]",
                "containers: {prefix4: 10.77.64.0/18}",
                "fetch:",
                "  allow: [10.0.0.0/8]",
                "  ports: [8080]",
                "  max-bytes: 2048",
                "log: {level: debug}")
            .anchor("ca")
            .alice(
                "prefixes: [192.0.2.0/24, '2001:db8::/32']",
                "ports: [udp/5060-5061, tcp, icmp]",
                "connect: [udp/198.51.100.0/24/9000-9010]",
                "grants: [monitor-any]",
                "rewrite: [{source: 192.0.2.1, destination: 192.0.2.0/24}]",
                "quotas: {memory: 200}",
                "limits: {steal: 30000}",
                "signers: [ca]",
                "revoked-certificates: ['0a1b']",
                "legacy: true")
            .load();
    assertEquals(List.of("eth0", "eth1.5"), node.interfaces());
    assertEquals(SysctlMode.SET, node.sysctlMode());
    assertEquals(0, node.probesPerMinute());
    assertEquals(3, node.spares());
    assertEquals(0, node.standby());
    assertEquals(List.of(2, 5), node.packetProcessors());
    assertEquals("[10.77.64.0/18, fd6e:6574:7376::/48]", "" + node.containers().all());
    assertEquals(List.of(Prefix.parse("10.0.0.0/8")), node.fetch().allow());
    assertEquals(5000, node.fetch().connectMillis());
    PublisherPolicy alice = node.publisher("alice").orElseThrow();
    assertEquals("alice", alice.name());
    assertEquals(List.of(Etc.KEY), alice.keys());
    assertEquals("udp/5060-5061", alice.ports().get(0).toString());
    assertEquals("udp/198.51.100.0/24/9000-9010", alice.connect().get(0).toString());
    assertTrue(alice.has(Grant.MONITOR));
    assertFalse(alice.has(Grant.PUBLIC_MODULE));
    assertEquals("192.0.2.1/32->192.0.2.0/24", alice.rewrite().get(0).toString());
    assertEquals(
        new Quotas(200, 48, 100, 128, 256, 64, 4096, 16, 64, 1024, 100_000, 0, 256, 8, 60),
        alice.quotas());
    assertEquals(new PacketLimits(200, 30000, 256), alice.limits());
    assertEquals(Set.of("0a1b"), alice.revokedCertificates());
    assertEquals(node.anchors().get("ca"), node.anchorsOf(alice).get(0));
    assertTrue(alice.legacy());
    assertFalse(alice.revoked());
  }

  @Test
  void signalingOfAnEmptyFileIsSafe() throws Exception {
    SignalingPolicy signaling = new Etc(dir).load().signaling();
    assertTrue(signaling.enabled());
    assertEquals(List.of(), signaling.interfaces());
    assertEquals(7270, signaling.port());
    assertEquals(7271, signaling.tlsPort());
    assertFalse(signaling.secureOnly());
    assertEquals(List.of("allow any"), signaling.peers());
    assertEquals(6000, signaling.hopPerMinute());
    assertEquals(1200, signaling.publisherPerMinute());
    assertEquals(List.of(), signaling.noRouterAlert());
    assertFalse(signaling.lastNode());
    assertEquals(120_000, signaling.budgetMax());
    assertEquals(signaling, NodeConfig.load(dir.resolve("nowhere")).signaling());
  }

  @Test
  void signalingAsItIsWritten() throws Exception {
    Etc etc =
        new Etc(dir)
            .node(
                "signaling:",
                "  interfaces: [eth0]",
                "  security: tls",
                "  tls-port: 0",
                "  peers: ['deny any from 192.0.2.0/24', 'allow dns:*.example.net']",
                "  last-node: true");
    SignalingPolicy signaling = etc.load().signaling();
    assertEquals(List.of("eth0"), signaling.interfaces());
    assertTrue(signaling.secureOnly());
    assertEquals(0, signaling.tlsPort());
    assertEquals(2, signaling.peers().size());
    assertTrue(signaling.lastNode());
    assertEquals(signaling, NodeConfig.load(dir).signaling());
  }

  @Test
  void bothPortsMayBeAnyThatAreFree() throws Exception {
    Etc etc = new Etc(dir).node("signaling: {port: 0, tls-port: 0}");
    assertEquals(0, etc.load().signaling().tlsPort());
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.ValueSource(
      strings = {
        "allow",
        "permit any",
        "allow dns:",
        "allow key:12",
        "allow any from 192.0.2.0",
        "allow any from eth0/8",
        "allow  any"
      })
  void refusesPeersThatDoNotRead(String peer) throws Exception {
    PolicyException e = refused(new Etc(dir).node("signaling: {peers: ['" + peer + "']}"));
    assertEquals("$.signaling.peers[0]", e.path());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sysctl: maybe | 2 | $.sysctl | \"maybe\" is not one of [\"check\",\"set\"]",
        "freshness: 0 | 2 | $.freshness | 0 is below 1",
        "freshness: 86401 | 2 | $.freshness | 86401 is above 86400",
        "freshness: soon | 2 | $.freshness | \"soon\" is not of type integer",
        "interfaces: eth0 | 2 | $.interfaces | \"eth0\" is not of type array",
        "interfaces: [eth0, eth0] | 2 | $.interfaces | the same twice in the list",
        "interfaces: ['a b'] | 2 | $.interfaces[0] | \"a b\" is not of the form"
            + " ^[A-Za-z0-9_.@-]{1,15}$",
        "surprise: 1 | 2 | $.surprise | unknown key",
        "fetch: {prots: [1]} | 2 | $.fetch.prots | unknown key",
        "fetch: {ports: []} | 2 | $.fetch.ports | fewer than 1 in the list",
        "fetch: {ports: [0]} | 2 | $.fetch.ports[0] | 0 is below 1",
        "fetch: {ports: [65536]} | 2 | $.fetch.ports[0] | 65536 is above 65535",
        "fetch: {max-bytes: 1} | 2 | $.fetch.max-bytes | 1 is below 1024",
        "fetch: {allow: [300.0.0.0/8]} | 2 | $.fetch.allow[0] | not an IP address: '300.0.0.0'",
        "fetch: {deny: [10.0.0.1/8]} | 2 | $.fetch.deny[0] | bits are set after the prefix length:"
            + " '10.0.0.1/8'",
        "log: {files: 101} | 2 | $.log.files | 101 is above 100",
        "signaling: {ports: 1} | 2 | $.signaling.ports | unknown key",
        "signaling: {port: 65536} | 2 | $.signaling.port | 65536 is above 65535",
        "signaling: {port: 7000, tls-port: 7000} | 2 | $.signaling.tls-port | the same as port:"
            + " 7000",
        "signaling: {port: 7271} | 2 | $.signaling.tls-port | the same as port: 7271",
        "signaling: {security: tcp} | 2 | $.signaling.security | \"tcp\" is not one of"
            + " [\"any\",\"tls\"]",
        "signaling: {budget-max: 999} | 2 | $.signaling.budget-max | 999 is below 1000",
        "signaling: {validity: 0} | 2 | $.signaling.validity | 0 is below 5",
        "signaling: {hop-per-minute: 0} | 2 | $.signaling.hop-per-minute | 0 is below 1",
        "signaling: {enabled: perhaps} | 2 | $.signaling.enabled | \"perhaps\" is not of type"
            + " boolean",
        "containers: {prefix: 1} | 2 | $.containers.prefix | unknown key",
        "containers: {prefix4: 18} | 2 | $.containers.prefix4 | 18 is not of type string",
        "containers: {prefix4: here} | 2 | $.containers.prefix4 | not an IP address: 'here'",
        "containers: {prefix4: 10.77.65.0/18} | 2 | $.containers.prefix4 | "
            + "bits are set after the prefix length: '10.77.65.0/18'",
        "containers: {prefix4: 10.77.64.0/19} | 2 | $.containers.prefix4 | "
            + "10.77.64.0/19 is not a /18, which 4096 containers' networks need",
        "containers: {prefix4: 10.77.64.0} | 2 | $.containers.prefix4 | "
            + "10.77.64.0/32 is not a /18, which 4096 containers' networks need",
        "containers: {prefix4: 'fd00:1:2::/48'} | 2 | $.containers.prefix4 | fd00:1:2::/48 is not"
            + " an IPv4 prefix",
        "containers: {prefix4: 169.254.64.0/18} | 2 | $.containers.prefix4 | "
            + "169.254.64.0/18 is in 169.254.0.0/16, which containers never send to",
        "containers: {prefix6: 10.77.64.0/18} | 2 | $.containers.prefix6 | 10.77.64.0/18 is not an"
            + " IPv6 prefix",
        "containers: {prefix6: 'fd00:1:2::/64'} | 2 | $.containers.prefix6 | "
            + "fd00:1:2::/64 is not a /48, which 4096 containers' networks need",
        "containers: {prefix6: 'ff02:1:2::/48'} | 2 | $.containers.prefix6 | "
            + "ff02:1:2::/48 is in ff00::/8, which containers never send to",
        "packet-processors: 2 | 2 | $.packet-processors | 2 is not of type array",
        "packet-processors: [2, 2] | 2 | $.packet-processors | the same twice in the list",
        "packet-processors: [-1] | 2 | $.packet-processors[0] | -1 is below 0",
        "packet-processors: [1024] | 2 | $.packet-processors[0] | 1024 is above 1023",
        "spares: 9 | 2 | $.spares | 9 is above 8",
        "standby: 65 | 2 | $.standby | 65 is above 64",
        "spares: -1 | 2 | $.spares | -1 is below 0",
        "spares: many | 2 | $.spares | \"many\" is not of type integer",
        "probes-per-minute: -1 | 2 | $.probes-per-minute | -1 is below 0",
      })
  void refusesInNodeYaml(String line, int number, String path, String reason) throws Exception {
    PolicyException e = refused(new Etc(dir).node("# head", line));
    assertEquals(path, e.path());
    assertEquals(reason, e.reason());
    assertEquals(number, e.line());
    assertEquals(
        dir.resolve("node.yaml") + ":" + number + ": " + path + ": " + reason, e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "surprise: 1 | $.surprise | unknown key",
        "programs: [xdp-2] | $.programs | unknown key",
        "prefixes: [nonsense] | $.prefixes[0] | not an IP address: 'nonsense'",
        "ports: [udp/0] | $.ports[0] | not a port from 1 to 65535: '0'",
        "ports: [icmp/7] | $.ports[0] | icmp has no ports",
        "ports: [what] | $.ports[0] | not a protocol number from 1 to 255 or a known name: 'what'",
        "connect: [udp/10.0.0.0] | $.connect[0] | not of the form udp/198.51.100.0/24/9000-9010",
        "connect: [icmp/10.0.0.0/8/7] | $.connect[0] | connections are tcp or udp, not icmp",
        "grants: [all] | $.grants[0] | \"all\" is not one of"
            + " [\"monitor\",\"monitor-any\",\"public-module\"]",
        "rewrite: [{source: 10.0.0.0/8}] | $.rewrite[0].destination | missing",
        "rewrite: [{source: 10.0.0.0/8, destination: '::/0'}] | $.rewrite | "
            + "10.0.0.0/8->::/0 goes from one family to the other",
        "quotas: {memory: 31} | $.quotas.memory | 31 is below 32",
        "quotas: {memory: 64, heap: 64} | $.quotas.heap | 64 is not below memory, which is 64",
        "limits: {steal: 30001} | $.limits.steal | 30001 is above 30000",
        "limits: {deadline: 0} | $.limits.deadline | 0 is below 1",
        "signers: [nobody] | $.signers | there is no anchor nobody in anchors.d",
        "signers: ['No!'] | $.signers[0] | \"No!\" is not of the form ^[a-z0-9][a-z0-9-]{0,31}$",
        "legacy: sometimes | $.legacy | \"sometimes\" is not of type boolean",
        "revoked-certificates: [XYZ] | $.revoked-certificates[0] | \"XYZ\" is not of the form"
            + " ^([0-9a-f]{1,40}",
      })
  void refusesInPublisher(String line, String path, String reason) throws Exception {
    PolicyException e = refused(new Etc(dir).alice(line));
    assertEquals(path, e.path(), e.getMessage());
    assertTrue(e.reason().startsWith(reason), e.reason());
  }

  @Test
  void refusesMissingAndBadHeads() throws Exception {
    PolicyException e = refused(new Etc(dir).file("publishers.d/a.yaml", "index: 0"));
    assertEquals("$.keys: missing", e.path() + ": " + e.reason());
    e =
        refused(
            new Etc(dir)
                .file("publishers.d/a.yaml", "index: 4096", "keys: ['" + Etc.line(Etc.KEY) + "']"));
    assertEquals("$.index: 4096 is above 4095", e.path() + ": " + e.reason());
    e = refused(new Etc(dir).file("publishers.d/a.yaml", "index: 0", "keys: ['ed25519:AAAA']"));
    assertEquals("$.keys[0]", e.path());
    e = refused(new Etc(dir).file("publishers.d/a.yaml", "index: 0", "keys: ['rsa:AAAA']"));
    assertTrue(e.reason().contains("is not of the form"), e.reason());
    e = refused(new Etc(dir).file("publishers.d/a.yaml", "[]"));
    assertEquals("not a list of keys and values", e.reason());
  }

  private Etc bob(String listen, String... lines) throws Exception {
    return new Etc(dir)
        .file(
            "publishers.d/bob.yaml",
            "index: 1",
            "keys: ['" + Etc.line(Etc.OTHER_KEY) + "']",
            "listen: [" + listen + "]",
            String.join("\n", lines));
  }

  @ParameterizedTest
  @CsvSource({
    "tcp/192.0.2.1/32/80, tcp/192.0.2.1/32/80, true",
    "tcp/0.0.0.0/0/70-80, tcp/192.0.2.1/32/80, true",
    "tcp/2001:db8::1/128/80, tcp/::/0/1-1023, true",
    "tcp/192.0.2.2/32/80, tcp/192.0.2.1/32/80, false",
    "udp/192.0.2.1/32/80, tcp/192.0.2.1/32/80, false",
    "tcp/192.0.2.1/32/81-90, tcp/192.0.2.1/32/80, false",
    "tcp/192.0.2.1/32/80:8080, tcp/192.0.2.1/32/80:8081, true",
    "tcp/192.0.2.1/32/81:8080, tcp/192.0.2.1/32/80:8080, false",
    "tcp/::/0/80, tcp/0.0.0.0/0/80, false",
  })
  void oneContainerListensOnAPort(String bobs, String alices, boolean overlaps) throws Exception {
    new Etc(dir).alice("listen: [" + alices + "]");
    if (!overlaps) {
      assertEquals(2, bob(bobs).load().publishers().size());
      return;
    }
    PolicyException e = refused(bob(bobs));
    assertEquals(
        "$.listen: " + bobs + " of bob overlaps " + alices + " of alice",
        e.path() + ": " + e.reason());
    assertEquals(2, bob(bobs, "revoked: true").load().publishers().size());
  }

  private Etc taking(String takes) throws Exception {
    String prefixes = "prefixes: [192.0.2.0/24, '2001:db8::/32']";
    return new Etc(dir).alice(prefixes, "take: [" + takes + "]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp/198.51.100.0/24/80",
        "tcp/192.0.2.0/23/80",
        "tcp/0.0.0.0/0/80",
        "tcp/192.0.2.0/24/80-81",
        "udp/192.0.2.0/24/80",
        "'tcp/2001:db9::/32/80'"
      })
  void connectionsAreTakenOfOwnAddressesAlone(String take) throws Exception {
    assertEquals("$.take", refused(taking(take)).path());
  }

  @ParameterizedTest
  @CsvSource({
    "tcp/192.0.2.0/25/80, true",
    "tcp/192.0.2.10/32/8080, true",
    "tcp/192.0.2.128/25/80, false"
  })
  void oneContainerTakesTheConnectionsOfAnAddress(String bobs, boolean overlaps) throws Exception {
    taking("tcp/192.0.2.10/32/80:8080");
    String[] own = {"prefixes: [192.0.2.0/24]", "take: [" + bobs + "]"};
    if (overlaps) {
      assertEquals("$.take", refused(bob("", own)).path());
      assertEquals(2, bob("", String.join("\n", own), "revoked: true").load().publishers().size());
    } else {
      assertEquals(2, bob("", own).load().publishers().size());
    }
  }

  @Test
  void serviceIdsAreGrantedByPrefix() throws Exception {
    PublisherPolicy none = new Etc(dir).alice("").load().publisher("alice").orElseThrow();
    assertEquals(List.of(), none.serval().prefixes());
    Etc some = new Etc(dir).alice("serval: {prefixes: [00004001/32, AB/9, default]}");
    PublisherPolicy alice = some.load().publisher("alice").orElseThrow();
    assertEquals("[00004001/32, ab0/9, default]", "" + alice.serval().prefixes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "serval: {prefixes: [00004001]} | $.serval.prefixes[0]",
        "serval: {prefixes: ['00004001']} | $.serval.prefixes[0]",
        "serval: {prefixes: [01/7]} | $.serval.prefixes[0]",
        "serval: {prefixes: [00/257]} | $.serval.prefixes[0]",
        "serval: {prefix: [00/8]} | $.serval.prefix",
        "serval: [00/8] | $.serval"
      })
  void wrongServiceIdsAreRefusedByTheirPlace(String line, String path) throws Exception {
    assertEquals(path, refused(new Etc(dir).alice(line)).path());
  }

  @Test
  void aListenIsOneAddressOrAll() throws Exception {
    PolicyException e = refused(bob("tcp/192.0.2.0/24/80"));
    assertEquals("$.listen", e.path());
    assertTrue(e.reason().startsWith("tcp/192.0.2.0/24/80 is not one address"), e.reason());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp/192.0.2.1/32/80-81:8080",
        "tcp/192.0.2.1/32/80:0",
        "tcp/192.0.2.1/32/80:8080-8081"
      })
  void onePortInsideForOneOutside(String listen) throws Exception {
    refused(bob(listen));
    String right = "udp/2001:db8::1/128/3478:13478";
    assertEquals(right, ConnectRule.parse(right).toString());
  }

  @Test
  void aPortInsideIsForListenOnly() throws Exception {
    PolicyException e = refused(new Etc(dir).alice("connect: [tcp/192.0.2.1/32/80:8080]"));
    assertEquals("$.connect", e.path());
  }

  @Test
  void refusesMoreInodesThanTheDiskHolds() throws Exception {
    String reason = refused(new Etc(dir).alice("quotas: {disk: 4, inodes: 8193}")).reason();
    assertEquals("more than 2048 for each MiB of disk, which is 4", reason);
    assertEquals(
        1, new Etc(dir).alice("quotas: {disk: 4, inodes: 8192}").load().publishers().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a: [", "a: 1\na: 2", "\t", "a: 1\n b: 2", "'", "a: &x 1\n...\nb: 2"})
  void refusesBrokenYamlWithItsLine(String text) throws Exception {
    PolicyException e = refused(new Etc(dir).node(text));
    assertEquals(dir.resolve("node.yaml"), e.file());
  }

  @Test
  void refusesNamesIndicesAndKeysTwice() throws Exception {
    Etc etc = new Etc(dir).alice();
    PolicyException e =
        refused(
            etc.file(
                "publishers.d/bob.yaml", "index: 0", "keys: ['" + Etc.line(Etc.OTHER_KEY) + "']"));
    assertEquals("$.index: 0 is alice's", e.path() + ": " + e.reason());
    e =
        refused(
            etc.file("publishers.d/bob.yaml", "index: 1", "keys: ['" + Etc.line(Etc.KEY) + "']"));
    assertEquals("$.keys: a key of alice", e.path() + ": " + e.reason());
    e =
        refused(
            new Etc(dir)
                .file(
                    "publishers.d/bob.yaml",
                    "index: 1",
                    "keys: ['" + Etc.line(Etc.OTHER_KEY) + "']")
                .file("publishers.d/-x.yaml", ""));
    assertTrue(e.reason().contains("not a publisher's name"), e.reason());
  }

  @Test
  void refusesBadAnchors() throws Exception {
    assertEquals(
        "not a PEM certificate", refused(new Etc(dir).file("anchors.d/a.pem", "nothing")).reason());
    assertTrue(
        refused(new Etc(dir).file("anchors.d/a.pem", Etc.PEM + Etc.PEM))
            .reason()
            .startsWith("more than one"));
    String broken = Etc.PEM.replace("MII", "AII");
    assertTrue(
        refused(new Etc(dir).file("anchors.d/a.pem", broken))
            .reason()
            .startsWith("not a certificate"));
  }
}
