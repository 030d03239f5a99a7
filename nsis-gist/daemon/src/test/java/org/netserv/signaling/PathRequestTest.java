// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.signaling.OneNode.FLOW;
import static org.netserv.signaling.OneNode.HOP;
import static org.netserv.signaling.OneNode.id;
import static org.netserv.signaling.OneNode.probe;
import static org.netserv.signaling.OneNode.session;
import static org.netserv.signaling.OneNode.signed;
import static org.netserv.signaling.OneNode.statuses;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.ncm.Header;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.nslp.NslpParts;
import org.netserv.signaling.ControllerPort.Verdict;
import org.netserv.signaling.SignalingCounters.Counter;

/** The rules of docs/protocols/nslp.md for one request, in virtual time. */
class PathRequestTest {
  private final OneNode node = new OneNode();

  private ResponseStack one(int status) {
    return stack(status, 1);
  }

  private ResponseStack stack(int status, int entries) {
    try {
      return ResponseStack.of(Collections.nCopies(entries, node.controller.entry(status, null)));
    } catch (org.netserv.ncm.NcmException e) {
      throw new AssertionError(e);
    }
  }

  private void start(byte[] ncm) {
    node.request(1, ncm);
  }

  private Response answer() {
    return node.gist.last();
  }

  private void lost() {
    node.application.notified(
        new NetworkNotification(
            32710,
            FLOW,
            session(1),
            NetworkNotification.Kind.COMMUNICATION_FAILURE,
            null,
            null,
            "reset"));
  }

  // ---- the plain way

  @Test
  void sentOnBeforeTheControllerIsAsked() {
    byte[] ncm = signed(probe());
    start(ncm);
    assertEquals(1, node.gist.sent.size());
    SendRequest sent = node.gist.sent.get(0);
    assertEquals(FLOW, sent.mri());
    assertEquals(session(1), sent.session());
    assertEquals(20, sent.hops());
    assertEquals(TransferAttributes.RELIABLE, sent.attributes());
    assertEquals(Duration.ofMillis(20_000 / 3), sent.timeout());
    Request on = node.gist.request(0);
    assertEquals(id(1), on.id());
    assertEquals(18_000, on.budgetMillis());
    assertArrayEquals(ncm, on.ncm());
    assertEquals(List.of(Duration.ofMinutes(2)), node.gist.lifetimes);
    assertEquals(List.of("before 0: PT1S PT2S"), node.gist.verified);
    ControllerPort.Question question = node.controller.questions.get(0);
    assertEquals(18_000, question.waitMillis());
    assertEquals(OneNode.USER, question.destination());
    assertEquals(OneNode.SOURCE, question.source());
    assertFalse(question.last());
    assertFalse(question.trigger());
  }

  /**
   * A tunnelled part of the path has a flow of its own (RFC 5971 section 5.3.2.3), and we signal
   * for none. Messages that go on are about the flow that came, with any contents. Passing time
   * causes no other messages.
   */
  @Test
  void nothingIsSentAboutAFlowThatDidNotCome() {
    node.timers.pass(600_000);
    assertEquals(List.of(), node.gist.sent);
    for (int number = 1; number <= 5; number++) {
      PathCoupledMri flow =
          PathCoupledMri.between(OneNode.address(198, 51, 100, number), OneNode.USER);
      Request request = new Request(id(number), 20_000, signed(probe()));
      node.receive(request, flow, session(number), OneNode.HOP, false, 20);
      node.timers.pass(60_000);
      for (SendRequest sent : node.gist.sent) {
        assertEquals(session(number), sent.session());
        assertTrue(sent.mri().equals(flow) || sent.mri().equals(flow.flipped()));
      }
      assertFalse(node.gist.sent.isEmpty());
      node.gist.sent.clear();
    }
    assertEquals(0, node.count(Counter.TRIGGERED));
  }

  /** A status that comes at once must not change the order. */
  @Test
  void forwardBeforeActHoldsWhenGistFailsAtOnce() {
    node.gist.refuse = "ourselves";
    start(signed(probe()));
    assertEquals(1, node.controller.questions.size());
    node.gist.refuse = null;
    node.controller.decide(0, 200);
    assertEquals(PathEnd.REFUSED, answer().end());
    assertEquals("REFUSED: ourselves", answer().reason());
  }

  @Test
  void answersWhenBothAreThereWithItsOwnEntryOnTop() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(202), PathEnd.PORT_UNREACHABLE);
    assertEquals(1, node.gist.sent.size());
    node.controller.decide(0, 200);
    assertEquals(2, node.gist.sent.size());
    Response up = answer();
    assertEquals(List.of(202, 200), statuses(up.stack()));
    assertEquals(PathEnd.PORT_UNREACHABLE, up.end());
    assertEquals(one(202).entries().get(0), node.controller.below.get(0));
    assertEquals(FLOW.flipped(), node.gist.sent.get(1).mri());
    assertEquals(session(1), node.gist.sent.get(1).session());
    assertEquals(0, node.timers.pending());
  }

  @Test
  void theOtherOrderGivesTheSame() {
    start(signed(probe()));
    node.controller.decide(0, 200);
    node.gist.status(0, MessageStatus.SENT, "");
    assertEquals(1, node.gist.sent.size());
    node.below(1, one(202), PathEnd.ENDPOINT);
    assertEquals(List.of(202, 200), statuses(answer().stack()));
  }

  /** The RESPONSE may come before GIST's status that the REQUEST has left. */
  @Test
  void theResponseBeforeTheStatus() {
    start(signed(probe()));
    node.controller.decide(0, 200);
    node.below(1, one(202), PathEnd.ENDPOINT);
    assertEquals(List.of(202, 200), statuses(answer().stack()));
    node.gist.status(0, MessageStatus.SENT, "");
    assertEquals(0, node.count(Counter.UNEXPECTED));
  }

  @Test
  void whoIsNotAddressedAddsNothing() {
    start(signed(probe().set(Header.NODE_ID, "a".repeat(26))));
    node.controller.decide(0, 421);
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(200), PathEnd.ENDPOINT);
    assertEquals(List.of(200), statuses(answer().stack()));
    assertTrue(node.controller.below.isEmpty());
  }

  @Test
  void refusalsOfTheControllerAreEntriesToo() {
    start(signed(probe()));
    node.controller.decide(0, 403);
    node.gist.status(0, MessageStatus.NO_RESPONSE, "nobody");
    assertEquals(List.of(403), statuses(answer().stack()));
    assertEquals(PathEnd.NO_ANSWER, answer().end());
  }

  @Test
  void aPeerThatIsNotConnectedInTimeIsTriedAgain() {
    start(signed(probe()));
    node.controller.decide(0, 200);
    for (int i = 0; i < 3; i++) {
      node.gist.status(i, MessageStatus.ASSOCIATION_LATE, "no association in time");
      node.timers.pass(3_000);
      assertEquals(i + 2, node.gist.sent.size());
    }
    node.gist.status(3, MessageStatus.ASSOCIATION_LATE, "no association in time");
    assertEquals(PathEnd.REFUSED, answer().end());
  }

  // ---- how paths end

  @ParameterizedTest
  @CsvSource({
    "LAST_NODE, port unreachable, PORT_UNREACHABLE",
    "LAST_NODE, endpoint found, ENDPOINT_FOUND",
    "LAST_NODE, endpoint, ENDPOINT",
    "LAST_NODE, no response, NO_ANSWER",
    "NO_RESPONSE, nobody, NO_ANSWER",
    "NO_ASSOCIATION, no common stack, REFUSED",
    "NO_ROUTE, none, REFUSED",
    "REFUSED, 9/4, REFUSED",
    "TOO_LARGE, 100000, REFUSED"
  })
  void everyStatusIsAnEnd(MessageStatus status, String detail, PathEnd end) {
    start(signed(probe()));
    node.controller.decide(0, 200);
    node.gist.status(0, status, detail);
    assertEquals(end, answer().end());
    assertEquals(List.of(200), statuses(answer().stack()));
    assertTrue(answer().reason().contains(detail));
  }

  @Test
  void theDestinationItselfSendsNothingOn() {
    node.receive(new Request(id(1), 20_000, signed(probe())), FLOW, session(1), HOP, true, 20);
    node.controller.decide(0, 200);
    assertEquals(1, node.gist.sent.size());
    assertEquals(PathEnd.ENDPOINT, answer().end());
    assertEquals(List.of(200), statuses(answer().stack()));
  }

  @Test
  void aProxyIsTheEndOfEveryPath() {
    node.settings =
        new ApplicationSettings(
            true, false, true, java.util.Set.of(), 6000, 1200, 60_000, 120_000, 120);
    start(signed(probe().set(Header.WHERE, "last")));
    assertTrue(node.controller.questions.get(0).last());
    node.controller.decide(0, 200);
    assertEquals(1, node.gist.sent.size());
    assertEquals(PathEnd.ENDPOINT, answer().end());
  }

  @Test
  void theHopCountIsUsedUp() {
    node.receive(new Request(id(1), 20_000, signed(probe())), FLOW, session(1), HOP, false, 0);
    node.controller.decide(0, 200);
    assertEquals(1, node.gist.sent.size());
    assertEquals(PathEnd.HOPS, answer().end());
  }

  @Test
  void aSmallBudgetIsNotSentOn() {
    node.request(1, 299, signed(probe()), HOP);
    node.controller.decide(0, 200);
    assertEquals(1, node.gist.sent.size());
    assertEquals(PathEnd.TIMED_OUT, answer().end());
    assertEquals(List.of(200), statuses(answer().stack()));
  }

  @ParameterizedTest
  @CsvSource({"300, 100", "1000, 800", "2000, 1800", "10000, 9000", "120000, 108000"})
  void budgetsShrink(int budget, int rest) {
    node.request(1, budget, signed(probe()), HOP);
    assertEquals(rest, node.gist.request(0).budgetMillis());
    assertEquals(rest, node.controller.questions.get(0).waitMillis());
    long allowed = Math.min(8_000, budget / 3);
    assertEquals(Duration.ofMillis(allowed), node.gist.sent.get(0).timeout());
  }

  @Test
  void aBudgetAboveTheBoundIsCut() {
    node.settings =
        new ApplicationSettings(
            true, false, false, java.util.Set.of(), 6000, 1200, 60_000, 10_000, 60);
    node.request(1, 60_000, signed(probe()), HOP);
    assertEquals(9_000, node.gist.request(0).budgetMillis());
    assertEquals(List.of(Duration.ofMinutes(1)), node.gist.lifetimes);
  }

  // ---- where=last

  @Test
  void whereLastWaitsForTheEnd() {
    start(signed(probe().set(Header.WHERE, "last")));
    assertTrue(node.controller.questions.isEmpty());
    node.timers.pass(5_000);
    node.gist.status(0, MessageStatus.LAST_NODE, "port unreachable");
    ControllerPort.Question question = node.controller.questions.get(0);
    assertTrue(question.last());
    assertEquals(13_500, question.waitMillis());
    node.controller.decide(0, 200);
    assertEquals(List.of(200), statuses(answer().stack()));
  }

  @Test
  void whereLastWithANodeBelowIsNotForThisNode() {
    start(signed(probe().set(Header.WHERE, "last")));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(200), PathEnd.PORT_UNREACHABLE);
    assertTrue(node.controller.questions.isEmpty());
    assertEquals(List.of(200), statuses(answer().stack()));
  }

  /** The node below has GIST and no controller, so this node is the last that can act. */
  @Test
  void whereLastWithANodeBelowThatAddsNoEntry() {
    start(signed(probe().set(Header.WHERE, "last")));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, ResponseStack.EMPTY, PathEnd.ENDPOINT);
    assertTrue(node.controller.questions.get(0).last());
  }

  @ParameterizedTest
  @EnumSource(
      value = PathEnd.class,
      names = {"TIMED_OUT", "REFUSED", "HOPS"})
  void whereLastIsNobodyWhenTheEndIsNotKnown(PathEnd end) {
    start(signed(probe().set(Header.WHERE, "last")));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, ResponseStack.EMPTY, end);
    assertTrue(node.controller.questions.isEmpty());
    assertTrue(answer().stack().entries().isEmpty());
    assertEquals(end, answer().end());
  }

  // ---- time

  @Test
  void noAnswerFromBelowInTime() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.controller.decide(0, 200);
    node.timers.pass(19_999);
    assertEquals(1, node.gist.sent.size());
    node.timers.pass(1);
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(PathEnd.TIMED_OUT, answer().end());
    assertEquals("no answer from below in time", answer().reason());
    assertEquals(1, node.count(Counter.TIMED_OUT));
    node.below(1, one(200), PathEnd.ENDPOINT);
    assertEquals(1, node.count(Counter.LATE_RESPONSE));
    assertEquals(2, node.gist.sent.size());
    assertEquals(0, node.timers.pending());
  }

  /** A node above must not act as the last node, because this node may still do so. */
  @Test
  void noAnswerFromTheControllerInTime() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(200), PathEnd.ENDPOINT);
    node.timers.pass(20_000);
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(PathEnd.TIMED_OUT, answer().end());
    node.controller.decide(0, 200);
    assertEquals(1, node.count(Counter.LATE_CONTROLLER));
    assertEquals(2, node.gist.sent.size());
  }

  @Test
  void nothingAtAllInTime() {
    start(signed(probe()));
    node.timers.pass(20_000);
    assertTrue(answer().stack().entries().isEmpty());
    assertEquals(PathEnd.TIMED_OUT, answer().end());
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    assertEquals(0, node.count(Counter.UNEXPECTED));
  }

  @Test
  void aSignatureThatComesTooLateIsLeftOut() {
    node.controller.signs = false;
    start(signed(probe()));
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    node.controller.decide(0, 200);
    node.timers.pass(19_999);
    assertEquals(1, node.gist.sent.size());
    node.timers.pass(1);
    assertTrue(answer().stack().entries().isEmpty());
    assertEquals(1, node.count(Counter.ENTRY_LEFT_OUT));
    node.controller.signNow();
    assertEquals(1, node.count(Counter.LATE_CONTROLLER));
    assertEquals(2, node.gist.sent.size());
  }

  /**
   * The time is over while the answer from below is missing. The signature gets a little more time.
   */
  @Test
  void theLastSignatureHasAMomentOfGrace() {
    node.controller.signs = false;
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.controller.decide(0, 200);
    node.timers.pass(20_149);
    assertEquals(1, node.gist.sent.size());
    node.controller.signNow();
    assertEquals(List.of(200), statuses(answer().stack()));
  }

  // ---- the controller is away

  @Test
  void withoutAControllerTheNodeIsAPlainHop() {
    start(signed(probe()));
    node.controller.say(0, Verdict.AWAY);
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(200), PathEnd.ENDPOINT);
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(PathEnd.ENDPOINT, answer().end());
    assertEquals(1, node.count(Counter.CONTROLLER_AWAY));
  }

  @Test
  void aControllerThatWentWhileAskedMayHaveActed() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    node.controller.say(0, Verdict.UNKNOWN);
    assertTrue(answer().stack().entries().isEmpty());
    assertEquals(PathEnd.TIMED_OUT, answer().end());
    assertEquals("the controller of a node did not answer", answer().reason());
  }

  @Test
  void theSameWhenTheResponseComesAfterwards() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.controller.say(0, Verdict.UNKNOWN);
    node.below(1, ResponseStack.EMPTY, PathEnd.ENDPOINT);
    assertEquals(PathEnd.TIMED_OUT, answer().end());
  }

  // ---- peers that die

  @Test
  void aPeerThatIsLostIsAskedAgain() {
    start(signed(probe()));
    node.controller.decide(0, 200);
    node.gist.status(0, MessageStatus.SENT, "");
    node.timers.pass(1_000);
    lost();
    node.timers.pass(199);
    assertEquals(1, node.gist.sent.size());
    node.timers.pass(1);
    assertEquals(2, node.gist.sent.size());
    assertEquals(id(1), node.gist.request(1).id());
    assertEquals(16_920, node.gist.request(1).budgetMillis());
    assertEquals(1, node.controller.questions.size());
    node.gist.status(1, MessageStatus.SENT, "");
    node.below(1, one(202), PathEnd.ENDPOINT);
    assertEquals(List.of(202, 200), statuses(answer().stack()));
    assertEquals(1, node.count(Counter.RESENT));
  }

  @Test
  void aPeerThatIsLostAgainAndAgain() {
    start(signed(probe()));
    node.controller.decide(0, 200);
    for (int i = 0; i < 4; i++) {
      node.gist.status(node.gist.sent.size() - 1, MessageStatus.SENT, "");
      lost();
      node.timers.pass(3_000);
    }
    assertEquals(3, node.count(Counter.RESENT));
    assertEquals(5, node.gist.sent.size());
    assertEquals(PathEnd.TIMED_OUT, answer().end());
    assertEquals("a node below was lost", answer().reason());
  }

  /** A node that answered before and does not answer now is not the end of the path. */
  @Test
  void aLostPeerIsNoEnd() {
    start(signed(probe().set(Header.WHERE, "last")));
    node.gist.status(0, MessageStatus.SENT, "");
    lost();
    node.timers.pass(200);
    node.gist.status(1, MessageStatus.NO_RESPONSE, "nobody");
    assertTrue(node.controller.questions.isEmpty());
    assertEquals(PathEnd.TIMED_OUT, answer().end());
  }

  @Test
  void losingAPeerOfAnotherSessionMeansNothing() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.application.notified(
        new NetworkNotification(
            32710,
            FLOW,
            session(2),
            NetworkNotification.Kind.COMMUNICATION_FAILURE,
            null,
            null,
            "reset"));
    node.timers.pass(10_000);
    assertEquals(1, node.gist.sent.size());
  }

  @Test
  void losingThePeerAfterItsAnswerMeansNothing() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(200), PathEnd.ENDPOINT);
    lost();
    node.timers.pass(10_000);
    assertEquals(1, node.gist.sent.size());
  }

  // ---- events that must not happen

  @Test
  void twoResponses() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, one(200), PathEnd.ENDPOINT);
    node.below(1, stack(200, 3), PathEnd.NO_ANSWER);
    assertEquals(1, node.count(Counter.UNEXPECTED));
    node.controller.decide(0, 200);
    assertEquals(2, answer().stack().entries().size());
  }

  @Test
  void twoStatusesAndAForeignHandle() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    assertEquals(1, node.count(Counter.UNEXPECTED));
    node.application.messageStatus("somebody's", MessageStatus.SENT, "");
    assertEquals(2, node.count(Counter.UNEXPECTED));
    assertEquals(1, node.gist.sent.size());
  }

  @Test
  void twoVerdicts() {
    start(signed(probe()));
    node.controller.decide(0, 200);
    node.controller.decide(0, 500);
    assertEquals(1, node.count(Counter.LATE_CONTROLLER));
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    assertEquals(List.of(200), statuses(answer().stack()));
  }

  @Test
  void aFullStackIsPassedUpAsItIs() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(1, stack(200, ResponseStack.MAX_ENTRIES), PathEnd.ENDPOINT);
    node.controller.decide(0, 200);
    assertEquals(ResponseStack.MAX_ENTRIES, answer().stack().entries().size());
    assertEquals(1, node.count(Counter.ENTRY_LEFT_OUT));
  }

  // ---- TRIGGER

  @Test
  void aTriggerIsForTheLastNodeOnly() {
    start(OneNode.trigger());
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(new Response(id(1), one(200), PathEnd.ENDPOINT, one(202), PathEnd.NO_ANSWER, ""));
    assertTrue(node.controller.questions.isEmpty());
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(List.of(202), statuses(answer().farStack()));
    assertEquals(PathEnd.NO_ANSWER, answer().farEnd());
  }

  @Test
  void theLastNodeStartsAFlowOfItsOwn() {
    start(OneNode.trigger());
    node.gist.status(0, MessageStatus.LAST_NODE, "port unreachable");
    ControllerPort.Question question = node.controller.questions.get(0);
    assertTrue(question.trigger());
    assertTrue(question.last());
    node.controller.decide(0, 200, OneNode.inside());
    SendRequest flow = node.gist.sent.get(1);
    assertEquals(OneNode.OWN, flow.mri().source());
    assertEquals(OneNode.FAR, flow.mri().destination());
    assertFalse(flow.session().equals(session(1)));
    assertEquals(-1, flow.hops());
    Request inside = node.gist.request(1);
    assertFalse(inside.id().equals(id(1)));
    assertArrayEquals(OneNode.inside(), inside.ncm());
    assertEquals(16_200, inside.budgetMillis());
    // The node acts on the message inside itself, as the first node of that path.
    ControllerPort.Question own = node.controller.questions.get(1);
    assertFalse(own.trigger());
    assertEquals(OneNode.FAR, own.destination());
    node.controller.decide(1, 202);
    node.gist.status(1, MessageStatus.SENT, "");
    node.receive(
        new Response(inside.id(), one(200), PathEnd.ENDPOINT_FOUND, ""),
        flow.mri().flipped(),
        flow.session(),
        new org.netserv.gist.SiiHandle("cc", OneNode.FAR, 3),
        false,
        20);
    assertEquals(3, node.gist.sent.size());
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(PathEnd.PORT_UNREACHABLE, answer().end());
    assertEquals(List.of(200, 202), statuses(answer().farStack()));
    assertEquals(PathEnd.ENDPOINT_FOUND, answer().farEnd());
    assertEquals(FLOW.flipped(), node.gist.sent.get(2).mri());
    assertEquals(0, node.application.underWay());
  }

  @Test
  void aRefusedTriggerStartsNothing() {
    start(OneNode.trigger());
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    node.controller.decide(0, 403);
    assertEquals(2, node.gist.sent.size());
    assertEquals(List.of(403), statuses(answer().stack()));
    assertNull(answer().farStack());
  }

  @Test
  void theFarPathEndsInTimeForTheAnswer() {
    start(OneNode.trigger());
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    node.controller.decide(0, 200, OneNode.inside());
    node.controller.decide(1, 200);
    node.gist.status(1, MessageStatus.SENT, "");
    node.timers.pass(18_000);
    assertEquals(3, node.gist.sent.size());
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(List.of(200), statuses(answer().farStack()));
    assertEquals(PathEnd.TIMED_OUT, answer().farEnd());
    assertEquals(PathEnd.NO_ANSWER, answer().end());
  }

  @Test
  void aTriggerTowardWhatHasNoRoute() throws Exception {
    byte[] inside = signed(probe().to(java.net.InetAddress.getByName("2001:db8::1")));
    start(OneNode.trigger());
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    node.controller.decide(0, 200, inside);
    assertEquals(List.of(200), statuses(answer().stack()));
    assertEquals(PathEnd.REFUSED, answer().farEnd());
    assertEquals("no route to 2001:db8:0:0:0:0:0:1", answer().reason());
    assertEquals(0, node.count(Counter.TRIGGERED));
  }

  @Test
  void aTriggerTowardThisNode() {
    start(OneNode.trigger());
    node.gist.status(0, MessageStatus.NO_RESPONSE, "");
    node.controller.decide(0, 200, signed(probe().to(OneNode.OWN)));
    assertEquals(1, node.gist.sent.size());
    node.controller.decide(1, 200);
    assertEquals(PathEnd.ENDPOINT, answer().farEnd());
    assertEquals(List.of(200), statuses(answer().farStack()));
  }

  // ---- messages that are longer than GIST carries

  /** Twelve long entries come from below in parts, and go up in parts. */
  @Test
  void longResponsesTravelInParts() throws Exception {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    ResponseEntry big =
        ResponseStack.EMPTY
            .push(node.controller.identity, new byte[0], OneNode.OWN, 200, "x".repeat(3000))
            .entries()
            .get(0);
    ResponseStack many = ResponseStack.of(Collections.nCopies(12, big));
    for (byte[] part : NslpParts.split(new Response(id(1), many, PathEnd.ENDPOINT, "").encode())) {
      assertEquals(1, node.gist.sent.size());
      node.receivePayload(
          part, FLOW.flipped(), session(1), new SiiHandle("bb", OneNode.USER, 2), false, 20);
    }
    node.controller.decide(0, 200);
    assertEquals(4, node.gist.sent.size());
    NslpParts parts = new NslpParts();
    assertTrue(parts.join("", node.gist.sent.get(1).payload(), 0).isEmpty());
    assertTrue(parts.join("", node.gist.sent.get(2).payload(), 0).isEmpty());
    Response up = (Response) parts.join("", node.gist.sent.get(3).payload(), 0).orElseThrow();
    assertEquals(13, up.stack().entries().size());
    // If one part does not leave, the message does not leave.
    node.gist.status(1, MessageStatus.SENT, "");
    node.gist.status(2, MessageStatus.NO_ASSOCIATION, "reset");
    node.gist.status(3, MessageStatus.NO_ASSOCIATION, "reset");
    node.timers.pass(500);
    assertEquals(7, node.gist.sent.size());
    assertEquals(1, node.count(Counter.RESENT_RESPONSE));
  }

  @Test
  void entriesChainToTheOneBelow() {
    start(signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    ResponseStack two = stack(200, 2);
    node.below(1, two, PathEnd.ENDPOINT);
    node.controller.decide(0, 200);
    List<ResponseEntry> entries = two.entries();
    assertEquals(entries.get(entries.size() - 1), node.controller.below.get(0));
  }
}
