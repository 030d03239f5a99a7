// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.core.Plan;

class RouterSettingsTest {
  private static final String HERE = "192.0.2.1:54325";

  private static RouterSettings settings(String... properties) {
    Map<String, String> all =
        new HashMap<>(Map.of("address", HERE, ServiceGrant.PROPERTY, "default"));
    for (int i = 0; i < properties.length; i += 2) {
      all.put(properties[i], properties[i + 1]);
    }
    return RouterSettings.of(all);
  }

  @Test
  void synAcksGoBackUnlessTheyMayNot() {
    assertTrue(settings().plan().returns());
    assertFalse(settings("returns", "off").plan().returns());
    assertThrows(IllegalArgumentException.class, () -> settings("returns", "maybe"));
  }

  @Test
  void rulesOfEachKind() {
    String text =
        "00004/20=192.0.2.7:54325*3@9 00004001=[2001:db8::7]:1 ; 51=delay  default=drop@2";
    List<Rule> rules = settings("rules", text).plan().rules();
    Endpoint seven = Endpoint.ofIpv4(0xc0000207, 54325);
    assertEquals(Datagrams.prefix("00004"), rules.get(0).prefix());
    assertEquals(Target.address(seven), rules.get(0).target());
    assertEquals(new Rank(0, 9), rules.get(0).rank());
    assertEquals(3, rules.get(0).weight());
    assertEquals(Datagrams.prefix("00004001"), rules.get(1).prefix());
    assertEquals(0x20010db8L << 32, rules.get(1).target().address().high());
    assertEquals(1, rules.get(1).weight());
    assertEquals(RuleAction.DELAY, rules.get(2).action());
    assertEquals(ServicePrefix.DEFAULT, rules.get(3).prefix());
    assertEquals(RuleAction.DROP, rules.get(3).action());
    assertEquals(4, rules.size());
  }

  @ParameterizedTest
  @CsvSource({
    "rules, 00004001=192.0.2.7",
    "rules, 00004001",
    "rules, 0x=delay",
    "rules, 00004001/8=delay",
    "rules, 00/257=delay",
    "rules, 00/0=delay",
    "rules, 00=hold",
    "rules, 00=delay*2",
    "rules, 00=192.0.2.7:0",
    "rules, 00=192.0.2.7:70000",
    "rules, 00=example.org:1",
    "rules, 00=192.0.2.7:1*65536",
    "rules, 00=192.0.2.7:1@1000001",
    "rules, 00=192.0.2.7:1*",
    "rules, 00=192.0.2.7:1@1*2",
    "registrations, 00004001/8",
    "registrations, x",
    "routers, 192.0.2.7",
    "address, 192.0.2.1:1 192.0.2.2:1",
    "address, 192.0.2.1",
    "signed-registrations, x",
    "signed-most, 0",
    "signatures-per-second, 0",
    "owners, 00",
    "owners, 00=ed25519:AAAA",
    "owners, 00=rsa:AAAA",
    "owners, 00=ed25519:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
    "listen, 54325",
    "service-id, xyz",
    "service-id, ''",
    "registered-seconds, 0",
    "registered-priority, -1",
    "rules-most, 10",
    "rules-per-host, 0",
    "held, 65537",
    "held-per-service, x",
    "held-per-sender, 99999",
    "held-seconds, 61",
    "parents, 192.0.2.7",
    "parent-key, ed25519:AAAA",
    "parent-key, ed25519:AAAA:AAAA",
    "announce, x",
    "aggregates, 00004001/8",
    "announce-most, 0",
    "lookups, x",
    "dns-servers, ns.example:53",
    "dns-zone, a..b",
    "dns-update, 192.0.2.7",
    "dns-key, hmac-md5:name:AAAA",
    "dns-key, hmac-sha256:name:A",
    "dns-records, a",
    "dns-seconds, 1",
    "dns-ttl, 3601",
    "lookups-at-once, 0",
    "rules-per-feeder, 0",
    "etcd, etcd.example:2379",
    "etcd-prefix, /serval",
    "etcd-keys, AAAA",
    "etcd-seconds, 2",
    "neighbours, 192.0.2.7",
    "flood-hops, 33",
    "flood-seconds, 0",
    "netserv.listen, udp/203.0.113.999/32/54325"
  })
  void aWrongValueIsRefusedByTheNameOfItsProperty(String name, String value) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> settings(name, value));
    assertTrue(thrown.getMessage().startsWith(name + ": "), thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "rules, 00=delay, 1024",
    "registrations, 00, 64",
    "routers, 192.0.2.7:1, 64",
    "parents, 192.0.2.7:1, 8"
  })
  void listsAreBounded(String name, String entry, int most) {
    String full = (entry + " ").repeat(most);
    if (!name.equals("routers")) {
      settings(name, full);
    }
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> settings(name, full + entry));
    assertTrue(thrown.getMessage().startsWith(name + ": "), thrown.getMessage());
  }

  @Test
  void theNodeTellsAddressAndPort() {
    String listen =
        "tcp/203.0.113.1/32/80 udp/203.0.113.0/24/9 udp/203.0.113.1/32/50000-50009"
            + " udp/203.0.113.1/32/7000:54000 udp/203.0.113.2/32/7000:54000"
            + " udp/2001:db8::1/128/7001:54000";
    RouterSettings settings = RouterSettings.of(Map.of("netserv.listen", listen));
    assertEquals(new InetSocketAddress("::", 54000), settings.local());
    Endpoint six = new Endpoint(0x20010db8L << 32, 1, 7001);
    assertEquals(List.of(Endpoint.ofIpv4(0xcb007101, 7000), six), settings.plan().addresses());
  }

  @Test
  void anAddressIsNeeded() {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> RouterSettings.of(Map.of()));
    assertTrue(thrown.getMessage().startsWith("address: "), thrown.getMessage());
    Plan bound = RouterSettings.of(Map.of("listen", HERE)).plan();
    assertEquals(List.of(RuleText.endpoint("", HERE)), bound.addresses());
    assertEquals(Datagrams.ROUTER, bound.own());
    assertEquals(Set.of(), bound.routers());
    assertEquals(List.of(), bound.registered().prefixes());
  }

  @Test
  void prefixesBeyondTheGrantAreRefused() {
    String grant = "0000/16 51/8";
    String[] good = {"rules", "00004001=delay 51=delay", "registrations", "0000"};
    assertEquals(2, granted(grant, good).plan().rules().size());
    for (String[] bad :
        List.of(
            new String[] {"rules", "default=delay"},
            new String[] {"rules", "000/12=delay"},
            new String[] {"registrations", "52"})) {
      isNotGranted(grant, bad);
    }
    granted("");
    isNotGranted("", "rules", "00004001=delay");
    isNotGranted("", "registrations", "00004001");
  }

  private static RouterSettings granted(String grant, String... properties) {
    String[] all = Arrays.copyOf(properties, properties.length + 2);
    all[properties.length] = ServiceGrant.PROPERTY;
    all[properties.length + 1] = grant;
    return settings(all);
  }

  private static void isNotGranted(String grant, String... properties) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> granted(grant, properties));
    assertTrue(thrown.getMessage().startsWith(properties[0] + ": the policy"), thrown.getMessage());
  }

  /** The module as its container starts it: a wrong rule binds nothing, and ends nothing. */
  @Test
  void aWrongRuleBindsNothing() throws IOException {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    Endpoint free = LoopbackRouter.free(1);
    int port = free.port();
    String here = LoopbackRouter.text(free);
    Map<String, Object> wrong =
        Map.of("listen", here, ServiceGrant.PROPERTY, "default", "rules", "00=" + here);
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> new ServiceRouter(wrong, null));
    assertEquals("rules: 00=" + here + ": the rule leads to this host itself", thrown.getMessage());
    new DatagramSocket(port, loopback).close();
    ServiceRouter router = new ServiceRouter(Map.of("listen", here), null);
    assertThrows(IllegalArgumentException.class, () -> router.modified(wrong));
    assertThrows(IOException.class, () -> new DatagramSocket(port, loopback));
    router.modified(Map.of("listen", here, ServiceGrant.PROPERTY, "00/8", "rules", "00=delay"));
    router.deactivate();
    new DatagramSocket(port, loopback).close();
  }
}
