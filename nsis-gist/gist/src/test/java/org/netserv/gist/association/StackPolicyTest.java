// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.association.StackPolicy.Choice;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackConfiguration.Option;
import org.netserv.gist.wire.StackProposal;

/** Offers, choice and re-use of stacks. */
class StackPolicyTest {
  private static final List<Integer> TLS = List.of(2, 1);
  private static final List<Integer> TCP = List.of(1);
  private static final List<Integer> SCTP = List.of(3);

  private final MemoryLinks links =
      new MemoryLinks(
          new MemoryLinks.Network(), TestNode.address("192.0.2.1"), new VirtualTimers());
  private final StackPolicy policy = new StackPolicy(links, false, 30_000);
  private final StackPolicy tlsOnly = new StackPolicy(links, true, 30_000);

  @Test
  void offerOfQueryByteForByte() {
    assertArrayEquals(
        new byte[] {
          1,
          1,
          0,
          8,
          0,
          0,
          0,
          (byte) 0x80,
          0,
          3,
          0,
          3, // Stack-Proposal, 3 words
          2,
          0,
          0,
          0,
          2,
          2,
          1,
          0, // TLS over TCP
          1,
          1,
          0,
          0, // TCP
          0,
          4,
          0,
          3, // Stack-Configuration-Data, 3 words
          1,
          0,
          0,
          0,
          0,
          0,
          0x75,
          0x30, // 30,000 ms
          1,
          0,
          0,
          0 // TCP of all profiles, no data
        },
        bytes(policy.queryOffer(false)));
  }

  @Test
  void offerOfResponseByteForByte() {
    assertArrayEquals(
        new byte[] {
          1,
          1,
          0,
          11,
          0,
          0,
          0,
          (byte) 0x80,
          0,
          3,
          0,
          3,
          2,
          0,
          0,
          0,
          2,
          2,
          1,
          0,
          1,
          1,
          0,
          0,
          0,
          4,
          0,
          6,
          2,
          0,
          0,
          0,
          0,
          0,
          0x75,
          0x30,
          1,
          1,
          2,
          0, // TCP of profile 1: 2 bytes
          0x0f,
          (byte) 0xa2,
          0,
          0, // port 4002
          1,
          2,
          2,
          0, // TCP of profile 2
          0x0f,
          (byte) 0xa1,
          0,
          0 // port 4001
        },
        bytes(policy.responseOffer()));
  }

  @Test
  void queryForProtectedMessagesOffersTlsAlone() {
    assertEquals(List.of(TLS), policy.queryOffer(true).proposal().profiles());
    assertEquals(List.of(TLS), tlsOnly.queryOffer(false).proposal().profiles());
    assertEquals(List.of(TLS), tlsOnly.responseOffer().proposal().profiles());
    links.stacks = List.of(TCP);
    assertNull(policy.queryOffer(true));
    assertNull(tlsOnly.queryOffer(false));
    assertNull(tlsOnly.responseOffer());
  }

  @Test
  void whoDoesNotListenOffersNothing() {
    links.listening = false;
    assertNull(policy.responseOffer());
    assertEquals(List.of(TLS, TCP), policy.queryOffer(false).proposal().profiles());
  }

  @Test
  void ourOrderDecidesAmongWhatTheyOffer() throws NoAssociationException {
    Offer both = offer(List.of(TCP, TLS), tcp(1, 7001), tcp(2, 7002));
    assertEquals(new Choice(TLS, 7002), policy.choose(both, false, false));
    assertEquals(
        new Choice(TCP, 7001), policy.choose(offer(List.of(TCP), tcp(1, 7001)), false, false));
    assertEquals(
        new Choice(TLS, 7003),
        policy.choose(offer(List.of(SCTP, TLS), tcp(0, 7003)), false, false));
  }

  @Test
  void optionForTheProfileGoesBeforeOneForAll() throws NoAssociationException {
    assertEquals(
        new Choice(TLS, 7002),
        policy.choose(offer(List.of(TCP, TLS), tcp(0, 7000), tcp(2, 7002)), true, false));
    assertEquals(
        new Choice(TLS, 7002),
        policy.choose(offer(List.of(TCP, TLS), tcp(2, 7002), tcp(0, 7000)), true, false));
  }

  @Test
  void unusableOptionRulesTheStackOut() throws NoAssociationException {
    Option noTls = new Option(StackProposal.TLS, 0, true, new byte[0]);
    Offer offer = offer(List.of(TLS, TCP), tcp(0, 7000), noTls);
    assertEquals(new Choice(TCP, 7000), policy.choose(offer, false, false));
    assertThrows(NoAssociationException.class, () -> policy.choose(offer, true, false));
    Option noTcp = new Option(StackProposal.TCP, 0, true, new byte[0]);
    assertThrows(
        NoAssociationException.class,
        () -> policy.choose(offer(List.of(TLS, TCP), noTcp), false, false));
  }

  @Test
  void nothingInCommonOrNoPortIsRefused() {
    assertRefused(policy, offer(List.of(SCTP), tcp(0, 7000)), false);
    assertRefused(policy, offer(List.of(TCP), tcp(0, 7000)), true);
    assertRefused(tlsOnly, offer(List.of(TCP), tcp(0, 7000)), false);
    assertRefused(policy, offer(List.of(TLS)), false);
    assertRefused(policy, offer(List.of(TLS), tcp(1, 0)), false);
    assertRefused(policy, offer(List.of(TLS, TCP), tcp(3, 7000)), false);
    assertRefused(
        policy, offer(List.of(TCP), new Option(StackProposal.TCP, 1, false, new byte[0])), false);
  }

  /**
   * Only the stacks that RFC 5971 section 5.7 describes are known, of all stacks of two layers at
   * most.
   */
  @Test
  void noProtocolBesidesTcpAndTlsHasAMeaning() {
    Set<List<Integer>> known = new HashSet<>();
    for (int top = 1; top <= 255; top++) {
      if (StackPolicy.strength(List.of(top)) > 0) {
        known.add(List.of(top));
      }
      for (int below = 1; below <= 255; below++) {
        if (StackPolicy.strength(List.of(top, below)) > 0) {
          known.add(List.of(top, below));
        }
      }
    }
    assertEquals(Set.of(List.of(1), List.of(2, 1)), known);
  }

  /** Section 5.7.1: the last two rules. Columns: stack, ours, theirs, protection wanted. */
  @Test
  void reuseNeedsStrengthOnBothSides() {
    StackProposal tls = new StackProposal(List.of(TLS));
    StackProposal tcp = new StackProposal(List.of(TCP));
    StackProposal both = new StackProposal(List.of(TLS, TCP));
    StackProposal sctp = new StackProposal(List.of(SCTP));
    assertSuits(true, policy, TLS, both, true);
    assertSuits(true, policy, TLS, tcp, false);
    assertSuits(true, policy, TLS, tls, false);
    assertSuits(true, policy, TLS, null, true);
    assertSuits(true, policy, TCP, both, false);
    assertSuits(true, policy, TCP, null, false);
    assertSuits(false, policy, TCP, tls, false); // weaker than all that they offer
    assertSuits(false, policy, TCP, both, true); // weaker than what we want
    assertSuits(false, tlsOnly, TCP, both, false); // weaker than all that we offer
    assertSuits(true, tlsOnly, TLS, tcp, false);
    assertSuits(false, policy, TLS, sctp, false); // not comparable
  }

  private static void assertSuits(
      boolean expected,
      StackPolicy policy,
      List<Integer> stack,
      StackProposal theirs,
      boolean secure) {
    assertEquals(expected, policy.suits(stack, theirs, secure));
  }

  private static void assertRefused(StackPolicy policy, Offer offer, boolean secure) {
    assertThrows(NoAssociationException.class, () -> policy.choose(offer, secure, false));
  }

  private static Offer offer(List<List<Integer>> profiles, Option... options) {
    return new Offer(new StackProposal(profiles), new StackConfiguration(30_000, List.of(options)));
  }

  private static Option tcp(int profile, int port) {
    byte[] data = {(byte) (port >> 8), (byte) port};
    return new Option(StackProposal.TCP, profile, false, data);
  }

  private static byte[] bytes(Offer offer) {
    CommonHeader header = new CommonHeader(1, 0, MessageType.QUERY, false, true, false, false);
    return new GistMessage(header, List.of(offer.proposal(), offer.configuration())).encode();
  }
}
