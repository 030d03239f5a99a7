// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NcmRulesTest {
  private static NcmException refusal(Ncm.Builder builder, boolean legacy) throws NcmException {
    Ncm ncm = builder.build();
    return assertThrows(NcmException.class, () -> NcmRules.check(ncm, legacy));
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void eachMandatoryHeaderIsMissedByName(Method method) throws NcmException {
    NcmRules.check(Messages.of(method).build(), false);
    for (Header header : Header.values()) {
      if (header.mandatoryIn(method)) {
        NcmException refusal = refusal(Messages.of(method).unset(header), false);
        assertEquals(400, refusal.status());
        assertTrue(
            refusal.getMessage().startsWith(header.text() + ": missing"), refusal.getMessage());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void eachHeaderThatDoesNotBelongIsNamed(Method method) throws NcmException {
    for (Header header : Header.values()) {
      if (!header.allowedIn(method)) {
        NcmException refusal =
            refusal(Messages.of(method).set(header, Messages.good(header)), false);
        assertEquals(header.text() + ": has no meaning in " + method, refusal.getMessage());
      }
    }
  }

  /** The table of the protocol page, here once more by hand. */
  @ParameterizedTest
  @CsvSource({
    "dependencies,S",
    "filter-port,S",
    "filter-proto,S",
    "filter-prefix,S",
    "filter-sample,S",
    "filter-match,S",
    "filter-count,S",
    "delegation,SRP",
    "revoke,R",
    "activate,S",
    "take,S",
    "notification,SR",
    "node-id,SRP",
    "where,SRP",
    "probe,P*",
    "properties,S",
    "sealed,S",
    "ttl,S*",
    "idle-ttl,S",
    "url,S",
    "user,S*R*P",
    "digest,S*",
    "date,S*R*P",
    "nonce,S*R*P",
    "to,S*R*P",
    "seq,S*R*",
    "signature,S*R*P"
  })
  void applicability(String name, String table) {
    StringBuilder is = new StringBuilder();
    for (Method method : Method.values()) {
      if (Header.ofText(name).allowedIn(method)) {
        is.append(method.name().charAt(0))
            .append(Header.ofText(name).mandatoryIn(method) ? "*" : "");
      }
    }
    assertEquals(table, is.toString());
  }

  @Test
  void aStrangersProbeNeedsNothingButASignatureNeedsAll() throws NcmException {
    NcmRules.check(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build(), false);
    for (Header header :
        new Header[] {Header.USER, Header.SIGNATURE, Header.DATE, Header.NONCE, Header.TO}) {
      NcmException refusal = refusal(Messages.probe().unset(header), false);
      assertSame(header, refusal.header().orElseThrow());
    }
  }

  @Test
  void aDelegateIsNoStrangerAndSpeaksTheCurrentProtocol() throws NcmException {
    String delegation = Messages.good(Header.DELEGATION);
    NcmRules.check(Messages.setup().set(Header.DELEGATION, delegation).build(), false);
    NcmException stranger =
        refusal(
            Ncm.builder(Method.PROBE, "*")
                .set(Header.PROBE, "node")
                .set(Header.DELEGATION, delegation),
            false);
    assertEquals("user: missing, delegation needs it", stranger.getMessage());
    NcmException old =
        refusal(Messages.setup().protocol(Ncm.LEGACY).set(Header.DELEGATION, delegation), true);
    assertEquals("delegation: needs protocol 1.0", old.getMessage());
  }

  @Test
  void aTimeToActivateIsOfTheCurrentProtocol() throws NcmException {
    NcmRules.check(Messages.setup().set(Header.ACTIVATE, "later").build(), false);
    NcmException old =
        refusal(Messages.setup().protocol(Ncm.LEGACY).set(Header.ACTIVATE, "later"), true);
    assertEquals("activate: needs protocol 1.0", old.getMessage());
  }

  @Test
  void revocationIsAboutAllModules() throws NcmException {
    NcmRules.check(Messages.remove().set(Header.REVOKE, "1234").build(), false);
    Ncm.Builder one = Ncm.builder(Method.REMOVE, "a").set(Header.SEQ, 2);
    for (Header header :
        new Header[] {Header.USER, Header.DATE, Header.NONCE, Header.TO, Header.SIGNATURE}) {
      one.set(header, Messages.remove().build().get(header));
    }
    assertEquals(
        "revoke: is about all modules: the request line needs *",
        refusal(one.set(Header.REVOKE, "1234"), false).getMessage());
  }

  @Test
  void legacyNeedsTheFlagAndTheOldProtocol() throws NcmException {
    Ncm paper = NcmText.parse(NcmTextTest.PAPER);
    NcmRules.check(paper, true);
    NcmException off = assertThrows(NcmException.class, () -> NcmRules.check(paper, false));
    assertEquals("digest: missing, SETUP needs it", off.getMessage());
    NcmException current = refusal(paper.toBuilder().protocol(Ncm.CURRENT), true);
    assertEquals("digest: missing, SETUP needs it", current.getMessage());
    for (Header header : new Header[] {Header.TTL, Header.URL, Header.USER, Header.SIGNATURE}) {
      assertSame(header, refusal(paper.toBuilder().unset(header), true).header().orElseThrow());
    }
    Ncm.Builder remove = Messages.remove().protocol(Ncm.LEGACY);
    for (Header header : new Header[] {Header.DATE, Header.NONCE, Header.TO, Header.SEQ}) {
      remove.unset(header);
    }
    NcmRules.check(remove.build(), true);
    assertSame(Header.DATE, refusal(remove, false).header().orElseThrow());
  }

  @Test
  void anEmptyPrefixSetIs403() throws NcmException {
    NcmException refusal = refusal(Messages.setup().set(Header.FILTER_PREFIX, ""), false);
    assertEquals(403, refusal.status());
    assertSame(Header.FILTER_PREFIX, refusal.header().orElseThrow());
  }

  @Test
  void portsNeedAProtocolThatHasThem() throws NcmException {
    assertSame(
        Header.FILTER_PORT,
        refusal(Messages.setup().unset(Header.FILTER_PROTO), false).header().orElseThrow());
    assertSame(
        Header.FILTER_PORT,
        refusal(Messages.setup().set(Header.FILTER_PROTO, "udp,icmp"), false)
            .header()
            .orElseThrow());
  }

  @Test
  void countsRunNoPrograms() throws NcmException {
    Ncm.Builder counting = Messages.setup().unset(Header.FILTER_MATCH);
    NcmRules.check(counting.set(Header.FILTER_COUNT, "src").build(), false);
    assertSame(
        Header.FILTER_COUNT,
        refusal(counting.set(Header.FILTER_MATCH, "udp"), false).header().orElseThrow());
  }

  @Test
  void theStarIsNotAModule() throws NcmException {
    Ncm.Builder setup = Ncm.builder(Method.SETUP, "*");
    Messages.setup().build().headers().forEach(setup::set);
    assertTrue(refusal(setup, false).getMessage().startsWith("request line: "));
    Ncm.Builder probe = Messages.probe().set(Header.PROBE, "node,module");
    assertSame(Header.PROBE, refusal(probe, false).header().orElseThrow());
  }

  @Test
  void whoIsAddressed() throws NcmException {
    String a = "a".repeat(26);
    String b = "b".repeat(26);
    assertTrue(Messages.setup().build().addressedTo(a, false));
    assertTrue(Messages.setup().set(Header.WHERE, "last").build().addressedTo(a, true));
    assertFalse(Messages.setup().set(Header.WHERE, "last").build().addressedTo(a, false));
    assertTrue(Messages.setup().set(Header.WHERE, b + "," + a).build().addressedTo(a, false));
    assertFalse(Messages.setup().set(Header.WHERE, b).build().addressedTo(a, true));
    assertTrue(Messages.setup().set(Header.NODE_ID, a).build().addressedTo(a, false));
    assertFalse(Messages.setup().set(Header.NODE_ID, b).build().addressedTo(a, true));
  }
}
