// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.values.Addresses;

class DelegationCheckTest {
  private static final Optional<InetAddress> CLIENT =
      Optional.of(Addresses.of(new byte[] {(byte) 198, 51, 100, 10}));

  private static void check(Map<Bound, String> bounds, Ncm.Builder message) throws Exception {
    DelegationCheck.require(Delegations.bounds(bounds), message.build(), CLIENT, true);
  }

  private static String refusal(Map<Bound, String> bounds, Ncm.Builder message) {
    NcmException refusal = assertThrows(NcmException.class, () -> check(bounds, message));
    assertEquals(403, refusal.status());
    assertSame(Header.DELEGATION, refusal.header().orElseThrow());
    return refusal.reason();
  }

  private static Ncm.Builder remove() {
    return Ncm.builder(Method.REMOVE, "NetServ.apps.KeepAlive")
        .set(Header.TO, "203.0.113.7")
        .set(Header.SEQ, 2);
  }

  private static Ncm.Builder probe(String name, String kinds) {
    return Ncm.builder(Method.PROBE, name).set(Header.TO, "203.0.113.7").set(Header.PROBE, kinds);
  }

  @Test
  void holdsWhatItIsFor() throws Exception {
    check(Map.of(), Messages.setup());
    check(Map.of(Bound.FROM, "198.51.100.0/24", Bound.PROVEN, "yes"), Messages.setup());
    check(
        Map.of(Bound.FILTER_PREFIX, "192.0.2.7"),
        Messages.setup().set(Header.FILTER_PREFIX, "192.0.2.7/32"));
    check(Map.of(Bound.PROPERTIES, "a=1,b=2"), Messages.setup().set(Header.PROPERTIES, "a=1,b=2"));
    check(Map.of(Bound.IDLE_TTL, "60"), Messages.setup().set(Header.IDLE_TTL, 60));
    check(
        Map.of(Bound.FILTER_MATCH, "udp  port 5060"),
        Messages.setup().set(Header.FILTER_MATCH, "udp port 5060"));
    check(Map.of(Bound.URL, "https://publisher.example/keepalive.jar"), Messages.setup());
    check(
        Map.of(Bound.FILTER_PROTO, "", Bound.FILTER_PORT, ""),
        Messages.setup().unset(Header.FILTER_PORT).unset(Header.FILTER_PROTO));
    check(Map.of(), remove());
    check(Map.of(), probe("*", "node"));
    check(Map.of(), probe("NetServ.apps.KeepAlive", "module,node"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "METHODS|PROBE|SETUP is not among its methods: PROBE",
        "TO|203.0.113.8|to 203.0.113.7 is not within 203.0.113.8/32",
        "TO|::/0|to 203.0.113.7 is not within ::/0",
        "FROM|198.51.100.11|from 198.51.100.10 is not within 198.51.100.11/32",
        "FILTER_PORT|5060-5061|filter-port is 5060, and has to be 5060-5061",
        "FILTER_PROTO|tcp|filter-proto is udp, and has to be tcp",
        "FILTER_PREFIX|192.0.2.0/24|filter-prefix is absent, and has to be 192.0.2.0/24",
        "FILTER_MATCH|udp port 53|filter-match is absent, and has to be udp port 53",
        "FILTER_PORT|''|filter-port is 5060, and has to be absent",
        "PROPERTIES|a=1|properties is absent, and has to be a=1",
        "IDLE_TTL|60|idle-ttl is absent, and has to be 60",
        "URL|https://publisher.example/k"
            + "|url https://publisher.example/keepalive.jar is not https://publisher.example/k",
        "URL|https://other.example/"
            + "|url https://publisher.example/keepalive.jar is not https://other.example/...",
        "MAX_TTL|3599|ttl 3600 is longer than 3599",
        "MODULES|a;e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            + "|module NetServ.apps.KeepAlive is not among its modules",
      })
  void eachBoundRefusesByName(Bound bound, String value, String reason) {
    assertEquals(reason, refusal(Map.of(bound, value), Messages.setup()));
  }

  @Test
  void headersThatNoBoundHoldsAreThePublishersOwn() {
    for (Header header :
        new Header[] {
          Header.FILTER_SAMPLE,
          Header.FILTER_COUNT,
          Header.NOTIFICATION,
          Header.SEALED,
          Header.ACTIVATE,
          Header.TAKE
        }) {
      Ncm.Builder message = Messages.setup().set(header, Messages.good(header));
      assertEquals(header.text() + " is the publisher's own", refusal(Map.of(), message));
    }
    assertEquals(
        "module * is not among its modules",
        refusal(
            Map.of(),
            Ncm.builder(Method.REMOVE, "*").set(Header.TO, "203.0.113.7").set(Header.REVOKE, "1")));
  }

  @Test
  void anotherDigestIsAnotherModule() {
    assertEquals(
        "digest " + "0".repeat(64) + " is not one of NetServ.apps.KeepAlive",
        refusal(Map.of(), Messages.setup().set(Header.DIGEST, "0".repeat(64))));
  }

  @Test
  void onlyItsOwnModuleIsAnswered() {
    assertEquals(
        "probe policy is answered to the publisher alone",
        refusal(Map.of(), probe("*", "node,policy")));
    assertEquals("module b is not among its modules", refusal(Map.of(), probe("b", "module")));
  }

  @Test
  void theFlowsSourceIsKnownOrProven() throws Exception {
    DelegationBounds from = Delegations.bounds(Map.of(Bound.FROM, "198.51.100.0/24"));
    Ncm setup = Messages.setup().build();
    NcmException local =
        assertThrows(
            NcmException.class,
            () -> DelegationCheck.require(from, setup, Optional.empty(), false));
    assertEquals("from: a message that came by no path has no source", local.reason());
    DelegationCheck.require(from, setup, CLIENT, false);
    DelegationBounds proven = Delegations.bounds(Map.of(Bound.PROVEN, "yes"));
    NcmException relayed =
        assertThrows(
            NcmException.class, () -> DelegationCheck.require(proven, setup, CLIENT, false));
    assertEquals(
        "proven: the source of the flow is not the previous hop of this node", relayed.reason());
  }
}
