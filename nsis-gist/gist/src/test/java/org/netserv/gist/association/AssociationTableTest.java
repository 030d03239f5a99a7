// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.association.AssociationMachine.State;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.StackProposal;

/** Setting up, re-use, bounds and failures, in virtual time. */
class AssociationTableTest {
  private static final StackProposal TLS_ONLY = new StackProposal(List.of(MemoryLinks.TLS));

  private final VirtualTimers timers = new VirtualTimers();
  private final MemoryLinks.Network network = new MemoryLinks.Network();
  private final TestNode a = node("192.0.2.1", GistSettings.DEFAULT);
  private final TestNode b = node("192.0.2.2", GistSettings.DEFAULT);

  private TestNode node(String address, GistSettings settings) {
    return new TestNode(network, timers, address, settings);
  }

  private TestNode bounded(String address, int all, int unestablished, int bytes) {
    AssociationLimits limits = new AssociationLimits(all, unestablished, bytes, 30_000);
    return new TestNode(network, timers, address, GistSettings.DEFAULT, limits);
  }

  // Setting up.

  @Test
  void whatIsSentBeforeItIsConnectedArrivesInOrder() throws NoAssociationException {
    MessagingAssociation association = a.open(b, false);
    association.attach(a);
    for (int i = 0; i < 20; i++) {
      association.send(TestNode.data(i));
    }
    assertFalse(association.connected());
    assertEquals(List.of(), a.links.ends.get(0).sent);
    timers.pass(2);
    assertTrue(association.connected());
    assertEquals(1, a.connected);
    association.send(TestNode.data(20));
    timers.pass(10);
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i <= 20; i++) {
      all.add(i);
    }
    assertEquals(all, b.received);
    assertEquals(1, b.accepted.size(), "only the first one is a first one");
    assertEquals(1, b.count(Counter.ASSOCIATION_ESTABLISHED));
    assertEquals(List.of(), a.failures);
  }

  @Test
  void everyMessageIsAFirstOneUntilOneIsRight() throws NoAssociationException {
    b.establishing = false;
    MessagingAssociation association = a.open(b, false);
    association.send(TestNode.data(1));
    association.send(TestNode.data(2));
    timers.pass(10);
    assertEquals(2, b.accepted.size());
    b.establishing = true;
    association.send(TestNode.data(3));
    association.send(TestNode.data(4));
    timers.pass(10);
    assertEquals(3, b.accepted.size());
    assertEquals(List.of(1, 2, 3, 4), b.received);
  }

  @Test
  void bothDirectionsCarryMessages() throws NoAssociationException {
    a.meet(b);
    b.accepted.get(0).send(TestNode.data(7));
    timers.pass(10);
    assertEquals(List.of(7), a.received);
    assertEquals(0, a.accepted.size(), "what we opened needs no first message");
  }

  @Test
  void bothEndsMayConnectAtOnce() throws NoAssociationException {
    Association fromA = a.open(b, false);
    Association fromB = b.open(a, false);
    fromA.attach(a);
    fromB.attach(b);
    fromA.send(TestNode.data(1));
    fromB.send(TestNode.data(2));
    timers.pass(10);
    assertEquals(List.of(1), b.received);
    assertEquals(List.of(2), a.received);
    assertEquals(2, a.table.size());
    assertEquals(2, b.table.size());
    assertSame(fromA, a.table.reusable(b.nli, null, false).orElseThrow(), "the older");
    assertSame(fromB, b.table.reusable(a.nli, null, false).orElseThrow());
  }

  @Test
  void secureIsTlsWithTheNameOfThePeer() throws NoAssociationException {
    MessagingAssociation tls = a.open(b, true);
    timers.pass(10);
    assertTrue(tls.secure());
    assertEquals("dns:192.0.2.2", tls.peerName());
    b.links.stacks = List.of(MemoryLinks.TCP);
    MessagingAssociation tcp = a.open(b, false);
    assertFalse(tcp.secure());
    assertThrows(NoAssociationException.class, () -> a.open(b, true));
  }

  @Test
  void aForgedAddressIsNotConnectedTo() throws Exception {
    for (String address : List.of("127.0.0.1", "0.0.0.0", "224.0.0.1", "::1", "::", "ff02::1")) {
      InetAddress to = InetAddress.getByName(address);
      NetworkLayerInfo forged = new NetworkLayerInfo(0, 1000, new byte[] {1}, to);
      Associations.Offer offer = b.table.responseOffer(4);
      assertThrows(
          NoAssociationException.class, () -> a.table.open(a.address, forged, offer, false));
    }
    assertEquals(0, a.table.size());
    assertEquals(List.of(), a.links.ends);
  }

  // Re-use: section 4.4.3.

  @Test
  void onlyIdentityAndAddressTogetherMatch() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    InetAddress other = TestNode.address("192.0.2.9");
    byte[] identity = b.nli.peerIdentity();
    byte[] another = {9, 9, 9, 9};
    assertEquals(Optional.of(association), reusable(identity, b.address));
    assertEquals(Optional.empty(), reusable(identity, other));
    assertEquals(Optional.empty(), reusable(another, b.address));
    assertEquals(Optional.empty(), reusable(another, other));
    // The responder finds the same connection.
    assertEquals(Optional.of(b.accepted.get(0)), b.table.reusable(a.nli, null, false));
  }

  private Optional<Association> reusable(byte[] identity, InetAddress address) {
    return a.table.reusable(new NetworkLayerInfo(3, 1, identity, address), null, false);
  }

  @Test
  void oneOnItsWayIsSharedAndADeadOneIsNot() throws NoAssociationException {
    MessagingAssociation association = a.open(b, false);
    assertSame(association, a.table.reusable(b.nli, null, false).orElseThrow());
    association.abort("enough");
    assertEquals(Optional.empty(), a.table.reusable(b.nli, null, false));
  }

  @Test
  void anUnestablishedOneIsNotReused() throws NoAssociationException {
    b.establishing = false;
    a.meet(b);
    assertEquals(Optional.empty(), b.table.reusable(a.nli, null, false));
  }

  @Test
  void tooWeakIsNotReusedAndTheStrongestIsTaken() throws NoAssociationException {
    b.links.stacks = List.of(MemoryLinks.TCP);
    MessagingAssociation tcp = a.meet(b);
    b.links.stacks = List.of(MemoryLinks.TLS, MemoryLinks.TCP);
    assertSame(tcp, a.table.reusable(b.nli, null, false).orElseThrow());
    assertEquals(Optional.empty(), a.table.reusable(b.nli, null, true));
    assertEquals(Optional.empty(), a.table.reusable(b.nli, TLS_ONLY, false));
    MessagingAssociation tls = a.meet(b);
    assertNotSame(tcp, tls);
    assertSame(tls, a.table.reusable(b.nli, null, false).orElseThrow());
    assertSame(tls, a.table.reusable(b.nli, TLS_ONLY, true).orElseThrow());
  }

  @Test
  void aNodeThatWantsTlsDoesNotReuseTcp() throws NoAssociationException {
    TestNode strict = node("192.0.2.3", TestNode.settings(30_000, true));
    a.links.stacks = List.of(MemoryLinks.TCP);
    // A peer that was not asked to, and connects to a port that it was not told.
    strict.links.stacks = List.of(MemoryLinks.TCP);
    assertEquals(null, strict.table.responseOffer(4));
    Associations.Offer offer = b.table.responseOffer(4);
    Association tcp =
        a.table.open(
            a.address,
            strict.nli,
            new Associations.Offer(
                new StackProposal(List.of(MemoryLinks.TCP)), offer.configuration()),
            false);
    tcp.send(TestNode.data(1));
    timers.pass(10);
    assertEquals(List.of(), strict.received, "the port of another stack");
    strict.links.stacks = List.of(MemoryLinks.TLS, MemoryLinks.TCP);
    assertEquals(Optional.empty(), strict.table.reusable(a.nli, null, false));
  }

  // Failures.

  @Test
  void refusedConnectionIsToldOnce() throws NoAssociationException {
    b.links.refusing = true;
    MessagingAssociation association = a.open(b, false);
    association.attach(a);
    association.attach(a);
    association.send(TestNode.data(1));
    timers.pass(100_000);
    assertEquals(List.of("connection refused"), a.failures);
    assertEquals(0, a.connected);
    assertEquals(0, a.table.size());
    assertEquals(1, a.count(Counter.ASSOCIATION_FAILED));
    assertEquals(0, timers.pending());
  }

  @Test
  void connectionWithoutAnAnswerEndsAfterThirtySeconds() throws NoAssociationException {
    b.links.ignoring = true;
    MessagingAssociation association = a.open(b, false);
    association.attach(a);
    timers.pass(29_999);
    assertEquals(List.of(), a.failures);
    timers.pass(1);
    assertEquals(List.of("not connected in time"), a.failures);
    assertEquals(1, a.count(Counter.CONNECT_TIMEOUT));
    assertTrue(a.links.ends.get(0).closed);
    assertEquals(0, timers.pending());
  }

  @Test
  void resetOfAConnectedOneIsToldToAllUsersOnce() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    List<String> others = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      association.attach((failed, reason) -> others.add(reason));
    }
    a.links.ends.get(0).fail("connection reset");
    b.links.ends.get(0).fail("connection reset");
    assertEquals(List.of("connection reset"), a.failures);
    assertEquals(List.of("connection reset", "connection reset", "connection reset"), others);
    assertEquals(List.of("connection reset"), b.failures);
    assertEquals(Optional.empty(), a.table.reusable(b.nli, null, false));
    association.send(TestNode.data(5));
    assertEquals(1, a.count(Counter.SENT_AFTER_END));
    timers.pass(100_000);
    assertEquals(List.of(0), b.received);
    assertEquals(0, timers.pending());
  }

  @Test
  void abortTellsBothSides() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    association.send(TestNode.data(1));
    association.abort("we say so");
    association.abort("twice");
    timers.pass(10);
    assertEquals(List.of("we say so"), a.failures);
    assertEquals(List.of("closed by the peer"), b.failures);
    assertEquals(List.of(0, 1), b.received, "what was sent is delivered");
  }

  @Test
  void whoTurnsToADeadOneIsToldLater() throws NoAssociationException {
    MessagingAssociation association = a.open(b, false);
    association.abort("too late");
    association.attach(a);
    assertEquals(List.of(), a.failures);
    timers.pass(1);
    assertEquals(List.of("too late"), a.failures);
  }

  @Test
  void aUserThatLeavesWhileOthersAreToldIsHarmless() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    Association.User[] leaver = new Association.User[1];
    leaver[0] =
        (failed, reason) -> {
          failed.detach(leaver[0]);
          failed.attach(b);
          failed.send(TestNode.data(9));
        };
    association.attach(leaver[0]);
    association.abort("end");
    timers.pass(10);
    assertEquals(1, a.count(Counter.SENT_AFTER_END));
    assertTrue(b.failures.contains("end"));
  }

  @Test
  void tooMuchWaitingEndsItInsteadOfLosingAMessage() throws NoAssociationException {
    int size = TestNode.data(0).encode().length;
    TestNode small = bounded("192.0.2.4", 10, 10, 3 * size);
    b.links.ignoring = true;
    MessagingAssociation association = small.open(b, false);
    association.attach(small);
    for (int i = 0; i < 3; i++) {
      association.send(TestNode.data(i));
    }
    assertEquals(List.of(), small.failures);
    association.send(TestNode.data(3));
    assertEquals(List.of("too much waits for the connection"), small.failures);
    assertEquals(1, small.count(Counter.QUEUE_OVERFLOW));
    assertEquals(State.DEAD, association.state());
  }

  @Test
  void closingTheTableDeliversAndTellsNobodyHere() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    association.send(TestNode.data(1));
    a.table.close();
    timers.pass(10);
    assertEquals(0, a.table.size());
    assertEquals(List.of(), a.failures);
    assertEquals(List.of(0, 1), b.received);
    assertEquals(List.of("closed by the peer"), b.failures);
    assertEquals(0, timers.pending());
  }

  // Bounds.

  @Test
  void anAcceptedOneWithoutAFirstMessageIsClosed() throws NoAssociationException {
    a.open(b, false).attach(a);
    timers.pass(29_000);
    assertEquals(1, b.table.size());
    timers.pass(1_100);
    assertEquals(0, b.table.size());
    assertEquals(1, b.count(Counter.UNESTABLISHED_TIMEOUT));
    assertEquals(List.of("closed by the peer"), a.failures);
  }

  @Test
  void wrongFirstMessagesDoNotKeepItOpen() throws NoAssociationException {
    b.establishing = false;
    MessagingAssociation association = a.open(b, false);
    association.attach(a);
    for (int i = 0; i < 40; i++) {
      association.send(TestNode.data(i));
      timers.pass(1000);
    }
    assertEquals(0, b.table.size());
    assertEquals(1, b.count(Counter.UNESTABLISHED_TIMEOUT));
  }

  @Test
  void strangersOfOneAddressAreFew() throws NoAssociationException {
    TestNode small = bounded("192.0.2.5", 100, 2, 1000);
    List<MessagingAssociation> three =
        List.of(a.open(small, false), a.open(small, false), a.open(small, false));
    timers.pass(10);
    assertEquals(1, small.count(Counter.REFUSED_PER_ADDRESS));
    assertEquals(2, small.table.size());
    assertEquals(2, three.stream().filter(Association::connected).count());
    // One that is established is no stranger.
    three.get(0).send(TestNode.data(1));
    timers.pass(10);
    a.open(small, false);
    timers.pass(10);
    assertEquals(1, small.count(Counter.REFUSED_PER_ADDRESS));
    assertEquals(3, small.table.size());
  }

  @Test
  void theOldestStrangerMakesRoom() throws NoAssociationException {
    TestNode small = bounded("192.0.2.6", 100, 2, 1000);
    MessagingAssociation first = a.open(small, false);
    timers.pass(10);
    MessagingAssociation second = a.open(small, false);
    timers.pass(10);
    MessagingAssociation third = b.open(small, false);
    timers.pass(10);
    assertEquals(1, small.count(Counter.UNESTABLISHED_EVICTED));
    assertEquals(State.DEAD, first.state());
    assertTrue(second.connected());
    assertTrue(third.connected());
  }

  @Test
  void associationsAreBounded() throws NoAssociationException {
    TestNode small = bounded("192.0.2.7", 2, 100, 1000);
    a.meet(small);
    b.meet(small);
    MessagingAssociation refused = a.open(small, false);
    refused.attach(a);
    timers.pass(10);
    assertEquals(1, small.count(Counter.REFUSED_FULL));
    assertEquals(List.of("closed by the peer"), a.failures);
    assertThrows(NoAssociationException.class, () -> small.open(a, false));
    assertEquals(2, small.count(Counter.REFUSED_FULL));
    assertEquals(2, small.table.size());
  }
}
