// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerRulesTest {
  private static final List<Ip.Prefix> NODE = List.of(Ip.Prefix.of("192.0.2.1"));
  private static final List<Ip.Prefix> RELAYED =
      List.of(Ip.Prefix.of("203.0.113.1"), Ip.Prefix.of("2001:db8::1"));
  private static final List<Ip.Prefix> DENY = List.of(Ip.Prefix.of("198.51.100.128/25"));

  private static PeerRules rules(boolean privates, boolean hairpin, Ip.Prefix... allow) {
    return new PeerRules(NODE, RELAYED, DENY, List.of(allow), privates, hairpin, 1024);
  }

  private static Why refusal(PeerRules rules, String address) {
    long[] halves = Ip.parse(address);
    return rules.refusal(halves[0], halves[1]);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, PEER_LOOPBACK",
    "::1, PEER_LOOPBACK",
    "0.0.0.0, PEER_UNSPECIFIED",
    "0.1.2.3, PEER_UNSPECIFIED",
    "::, PEER_UNSPECIFIED",
    "::198.51.100.7, PEER_UNSPECIFIED",
    "100::1, PEER_UNSPECIFIED",
    "255.255.255.255, PEER_UNSPECIFIED",
    "240.0.0.1, PEER_UNSPECIFIED",
    "169.254.169.254, PEER_LINK_LOCAL",
    "fe80::1, PEER_LINK_LOCAL",
    "224.0.0.1, PEER_MULTICAST",
    "ff02::1, PEER_MULTICAST",
    "10.0.0.1, PEER_PRIVATE",
    "172.31.255.255, PEER_PRIVATE",
    "192.168.1.1, PEER_PRIVATE",
    "100.64.0.1, PEER_PRIVATE",
    "198.18.0.1, PEER_PRIVATE",
    "fd00::1, PEER_PRIVATE",
    "fec0::1, PEER_PRIVATE",
    "192.0.2.1, PEER_NODE",
    "203.0.113.1, PEER_RELAYED",
    "2001:db8::1, PEER_RELAYED",
    "198.51.100.200, PEER_DENIED",
    // other spellings of the same
    "::ffff:127.0.0.1, PEER_LOOPBACK",
    "::ffff:169.254.169.254, PEER_LINK_LOCAL",
    "::ffff:192.0.2.1, PEER_NODE",
    "64:ff9b::7f00:1, PEER_LOOPBACK",
    "64:ff9b::a9fe:a9fe, PEER_LINK_LOCAL",
    "64:ff9b::c000:201, PEER_NODE",
    "64:ff9b::c633:64c8, PEER_DENIED",
    "64:ff9b::cb00:7101, PEER_RELAYED",
    "64:ff9b::0a00:1, PEER_PRIVATE",
    "64:ff9b:1::c633:6401, PEER_PRIVATE",
    "2002:7f00:1::, PEER_LOOPBACK",
    "2002:c000:201::1, PEER_NODE",
    "2002:a9fe:a9fe::1, PEER_LINK_LOCAL",
    "2001:0:7f00:1::1, PEER_LOOPBACK",
    "2001:0:c633:6401:0:0:80ff:fffe, PEER_LOOPBACK",
    "2001:db8:9::5efe:127.0.0.1, PEER_LOOPBACK",
    "2001:db8:9::200:5efe:192.0.2.1, PEER_NODE",
  })
  void noSpellingOfARefusedAddressGetsThrough(String address, Why why) {
    assertEquals(why, refusal(rules(false, false), address));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "198.51.100.7",
        "8.8.8.8",
        "2001:db8:2::1",
        "64:ff9b::c633:6401",
        "2002:c633:6401::1",
        "::ffff:198.51.100.7"
      })
  void othersArePeers(String address) {
    assertNull(refusal(rules(false, false), address));
  }

  @Test
  void settingsOpenWhatTheyNameAndNothingElse() {
    assertNull(refusal(rules(true, false), "10.0.0.1"));
    assertNull(refusal(rules(true, false), "fd00::1"));
    assertEquals(Why.PEER_LOOPBACK, refusal(rules(true, true), "127.0.0.1"));
    assertEquals(Why.PEER_LOOPBACK, refusal(rules(true, true), "64:ff9b:1::7f00:1"));
    assertNull(refusal(rules(false, true), "203.0.113.1"));
    assertEquals(Why.PEER_RELAYED, refusal(rules(true, true), "64:ff9b::cb00:7101"));
    PeerRules listed = rules(false, false, Ip.Prefix.of("198.51.100.0/24"));
    assertNull(refusal(listed, "198.51.100.1"));
    assertEquals(Why.PEER_DENIED, refusal(listed, "198.51.100.200"));
    assertEquals(Why.PEER_NOT_ALLOWED, refusal(listed, "198.51.101.1"));
    assertEquals(Why.PEER_NOT_ALLOWED, refusal(listed, "2001:db8:2::1"));
  }

  @ParameterizedTest
  @CsvSource({"0, PEER_PORT", "1023, PEER_PORT", "1024,", "65535,"})
  void portsAreJudgedToo(int port, Why why) {
    assertEquals(why, rules(false, false).refusal(0, Stage.PEER, port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1.2.3", "1.2.3.4/33", "::/129", "a", "1.2.3.4/", "1.2.3.4/-1"})
  void whatIsNoPrefixIsRefused(String text) {
    org.junit.jupiter.api.Assertions.assertThrows(
        IllegalArgumentException.class, () -> Ip.Prefix.of(text));
  }
}
