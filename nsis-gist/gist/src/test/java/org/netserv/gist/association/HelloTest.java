// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.association.AssociationMachine.State;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.HelloId;
import org.netserv.gist.wire.MessageType;

/** Tests MA-Hello, hold times, and the need for an association: sections 4.4.5 and 6.4. */
class HelloTest {
  private static final long A_HOLD = 40_000;
  private static final long B_HOLD = 20_000;

  private final VirtualTimers timers = new VirtualTimers();
  private final MemoryLinks.Network network = new MemoryLinks.Network();
  private final TestNode a =
      new TestNode(network, timers, "192.0.2.1", TestNode.settings(A_HOLD, false));
  private final TestNode b =
      new TestNode(network, timers, "192.0.2.2", TestNode.settings(B_HOLD, false));

  HelloTest() {
    b.peerHold = A_HOLD;
  }

  private MemoryLinks.End endOfA() {
    return a.links.ends.get(0);
  }

  private MemoryLinks.End endOfB() {
    return b.links.ends.get(0);
  }

  @Test
  void keepaliveByteForByte() throws NoAssociationException {
    a.meet(b);
    timers.pass(B_HOLD);
    List<byte[]> sent = endOfA().sent;
    // Version 1, hops 1, 2 words, NSLPID 0, type 5, S; Hello-ID 0.
    byte[] hello = HexFormat.of().parseHex("0101000200000580" + "000a000100000000");
    assertArrayEquals(hello, sent.get(1));
    assertEquals(b.count(Counter.HELLO_RECEIVED), a.count(Counter.HELLO_SENT));
  }

  /**
   * Each of many intervals, seeded, is in 1/2 to 3/4 of the peer's hold time, and none is like
   * another.
   */
  @Test
  void keepalivesComeAtRandomTimesOfThePeersHoldTime() throws NoAssociationException {
    a.meet(b);
    timers.pass(100 * A_HOLD);
    assertIntervals(endOfA(), B_HOLD);
    assertIntervals(endOfB(), A_HOLD);
    assertEquals(1, a.table.size());
    assertEquals(1, b.table.size());
    assertEquals(0, a.count(Counter.PEER_SILENT));
  }

  private static void assertIntervals(MemoryLinks.End end, long hold) {
    List<Long> intervals = new ArrayList<>();
    List<Long> helloAt = new ArrayList<>();
    for (int i = 0; i < end.sent.size(); i++) {
      if (end.sent.get(i)[6] == 5 && end.sent.get(i)[7] == (byte) 0x80) {
        helloAt.add(end.sentAt.get(i));
      }
    }
    for (int i = 1; i < helloAt.size(); i++) {
      intervals.add(helloAt.get(i) - helloAt.get(i - 1));
    }
    assertTrue(intervals.size() > 100, "hellos: " + intervals.size());
    for (long interval : intervals) {
      assertTrue(interval >= hold / 2 && interval <= hold * 3 / 4, "after " + interval);
    }
    assertTrue(new HashSet<>(intervals).size() > intervals.size() / 2, "not random");
  }

  @Test
  void messagesReplaceKeepalives() throws NoAssociationException {
    Association association = a.meet(b);
    for (int i = 0; i < 100; i++) {
      association.send(TestNode.data(i));
      timers.pass(B_HOLD / 4);
    }
    assertEquals(0, a.count(Counter.HELLO_SENT));
    assertEquals(1, b.table.size());
  }

  @Test
  void aPeerWithATinyHoldTimeDoesNotMakeUsSendWithoutEnd() throws NoAssociationException {
    b.peerHold = 1;
    a.meet(b);
    timers.pass(10_000);
    long sent = b.count(Counter.HELLO_SENT);
    assertTrue(sent >= 13 && sent <= 20, "sent " + sent);
  }

  @Test
  void aRequestIsAnsweredWithItsId() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    association.ask(0x01020304);
    timers.pass(10);
    byte[] answer = HexFormat.of().parseHex("0101000200000580" + "000a000101020304");
    List<byte[]> sent = endOfB().sent;
    assertArrayEquals(answer, sent.get(sent.size() - 1));
  }

  @Test
  void aRequestWithoutIdIsRefused() throws NoAssociationException {
    Association association = a.meet(b);
    association.send(hello(true, 0));
    timers.pass(10);
    assertEquals(1, b.refused.size());
    assertEquals(10, b.refused.get(0).code());
    assertEquals(1, b.refused.get(0).subcode());
    assertEquals(List.of(), endOfB().sent);
    assertEquals(0, b.count(Counter.HELLO_RECEIVED));
    assertEquals(1, b.count(Counter.MALFORMED));
    assertTrue(b.accepted.get(0).connected(), "and the association stays");
  }

  @Test
  void anAnswerToNoQuestionIsCountedAndASignOfLifeAllTheSame() throws NoAssociationException {
    Association association = a.meet(b);
    association.send(hello(false, 77));
    timers.pass(10);
    assertEquals(1, b.count(Counter.HELLO_UNMATCHED));
    assertEquals(1, b.count(Counter.HELLO_RECEIVED));
    assertEquals(List.of(), b.refused);
  }

  @Test
  void aHelloWithoutHopsIsLeftToTheRuleForAllMessages() throws NoAssociationException {
    Association association = a.meet(b);
    association.send(
        new GistMessage(
            new CommonHeader(0, 0, MessageType.MA_HELLO, false, true, false, false),
            List.of(new HelloId(0))));
    timers.pass(10);
    assertEquals(0, b.count(Counter.HELLO_RECEIVED));
    assertEquals(2, b.count(Counter.MESSAGE_RECEIVED));
  }

  @Test
  void aSilentPeerIsAskedAndThenGivenUp() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    endOfB().dead = true;
    timers.pass(A_HOLD * 3 / 4 - 20);
    assertEquals(0, requests(endOfA()));
    timers.pass(20);
    assertEquals(1, requests(endOfA()));
    timers.pass(A_HOLD / 4 - 20);
    assertEquals(List.of(), a.failures);
    assertTrue(association.connected());
    timers.pass(20);
    assertEquals(List.of("the peer is silent"), a.failures);
    assertEquals(1, requests(endOfA()), "asked once");
    assertEquals(1, a.count(Counter.PEER_SILENT));
    assertEquals(0, a.table.size());
  }

  @Test
  void aPauseOfThisHostIsNoSilenceOfThePeer() throws NoAssociationException {
    a.meet(b);
    timers.pass(1000);
    timers.stall(10 * A_HOLD);
    timers.pass(2 * A_HOLD);
    assertEquals(List.of(), a.failures);
    assertEquals(List.of(), b.failures);
    assertEquals(0, a.count(Counter.PEER_SILENT));
    assertTrue(requests(endOfA()) >= 1);
  }

  private static long requests(MemoryLinks.End end) {
    return end.sent.stream().filter(m -> m[6] == 5 && (m[7] & 0x40) != 0).count();
  }

  /** The idle peer sends no keepalive. It answers when asked, and that is enough. */
  @Test
  void whoNeedsItKeepsItFromAPeerThatDoesNot() throws NoAssociationException {
    b.attaching = false;
    MessagingAssociation association = a.meet(b);
    timers.pass(20 * A_HOLD);
    assertEquals(State.CONNECTED, association.state());
    assertEquals(State.IDLE, ((MessagingAssociation) b.accepted.get(0)).state());
    assertEquals(List.of(), a.failures);
    assertTrue(requests(endOfA()) >= 19);
    assertEquals(0, a.count(Counter.HELLO_UNMATCHED));
  }

  @Test
  void whatNobodyNeedsIsClosedAfterTheHoldTimeAndNobodyIsTold() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    association.detach(a);
    b.accepted.get(0).detach(b);
    assertEquals(State.IDLE, association.state());
    timers.pass(B_HOLD - 1);
    assertEquals(1, b.table.size());
    timers.pass(1);
    assertEquals(0, b.table.size());
    assertEquals(1, b.count(Counter.ASSOCIATION_PURGED));
    timers.pass(A_HOLD);
    assertEquals(0, a.table.size());
    assertEquals(List.of(), a.failures);
    assertEquals(List.of(), b.failures);
    assertEquals(0, a.count(Counter.ASSOCIATION_FAILED));
    assertEquals(0, timers.pending());
  }

  @Test
  void anIdleOneStaysWhileThePeerWantsIt() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    association.detach(a);
    timers.pass(10 * A_HOLD);
    assertEquals(State.IDLE, association.state());
    assertEquals(State.CONNECTED, ((MessagingAssociation) b.accepted.get(0)).state());
    b.accepted.get(0).detach(b);
    timers.pass(2 * A_HOLD);
    assertEquals(0, a.table.size());
    assertEquals(0, b.table.size());
    assertEquals(List.of(), b.failures);
  }

  @Test
  void useMakesAnIdleOneConnectedAgain() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    MessagingAssociation accepted = (MessagingAssociation) b.accepted.get(0);
    association.detach(a);
    association.send(TestNode.data(1));
    assertEquals(State.CONNECTED, association.state(), "a message of ours");
    timers.pass(A_HOLD + 20);
    assertEquals(State.IDLE, association.state(), "and nothing after it");
    accepted.send(TestNode.data(2));
    timers.pass(10);
    assertEquals(State.CONNECTED, association.state(), "a message of the peer's");
    assertEquals(List.of(2), a.received);
    timers.pass(A_HOLD + 20);
    association.attach(a);
    assertEquals(State.CONNECTED, association.state(), "a user");
    long before = a.count(Counter.HELLO_SENT);
    timers.pass(B_HOLD);
    assertTrue(a.count(Counter.HELLO_SENT) > before, "keepalives go out again");
    assertEquals(0, a.count(Counter.UNEXPECTED_EVENT));
  }

  @Test
  void anIdleOneThatBreaksTroublesNobody() throws NoAssociationException {
    MessagingAssociation association = a.meet(b);
    association.detach(a);
    endOfA().fail("connection reset");
    assertEquals(List.of(), a.failures);
    assertEquals(0, a.count(Counter.ASSOCIATION_FAILED));
    assertFalse(association.connected());
    assertEquals(0, a.table.size());
  }

  @Test
  void oneThatWasNeverUsedGoes() throws NoAssociationException {
    b.attaching = false;
    MessagingAssociation association = a.open(b, false);
    association.send(TestNode.data(1));
    timers.pass(4 * A_HOLD);
    assertEquals(0, a.table.size());
    assertEquals(0, b.table.size());
    assertEquals(0, timers.pending());
  }

  @Test
  void anotherVersionEndsIt() throws NoAssociationException {
    a.meet(b);
    byte[] version2 = HexFormat.of().parseHex("0201000200000580" + "000a000100000000");
    endOfA().send(version2);
    timers.pass(10);
    assertEquals(1, b.refused.get(0).code());
    assertEquals(0, b.refused.get(0).subcode());
    assertEquals(List.of("another version of GIST"), b.failures);
  }

  @Test
  void aBrokenMessageIsReportedAndTheNextOneTaken() throws NoAssociationException {
    a.meet(b);
    endOfA().send(HexFormat.of().parseHex("0101000000000580")); // MA-Hello, no words
    endOfA().send(TestNode.data(5).encode());
    timers.pass(10);
    assertEquals(9, b.refused.get(0).code());
    assertEquals(2, b.refused.get(0).subcode());
    assertEquals(List.of(0, 5), b.received);
  }

  private static GistMessage hello(boolean reply, int helloId) {
    return new GistMessage(
        new CommonHeader(1, 0, MessageType.MA_HELLO, false, true, reply, false),
        List.of(new HelloId(helloId)));
  }
}
