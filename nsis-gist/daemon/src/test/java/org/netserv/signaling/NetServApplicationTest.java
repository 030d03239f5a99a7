// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.signaling.OneNode.FLOW;
import static org.netserv.signaling.OneNode.HOP;
import static org.netserv.signaling.OneNode.id;
import static org.netserv.signaling.OneNode.probe;
import static org.netserv.signaling.OneNode.session;
import static org.netserv.signaling.OneNode.signed;
import static org.netserv.signaling.OneNode.statuses;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.LooseEndMri;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.signaling.SignalingCounters.Counter;

/**
 * Tests the early decisions about a request, before it costs anything, and the memory of requests.
 */
class NetServApplicationTest {
  private static final SiiHandle OTHER_HOP = new SiiHandle("dd", HOP.address(), 1);

  private final OneNode node = new OneNode();

  private void refused(String reason, Counter counter) {
    Response response = node.gist.last();
    assertEquals(PathEnd.REFUSED, response.end());
    assertEquals(reason, response.reason());
    assertTrue(response.stack().entries().isEmpty());
    assertEquals(1, node.count(counter));
  }

  private void finish(int index) {
    node.gist.status(index, MessageStatus.NO_RESPONSE, "nobody");
    node.controller.decide(node.controller.questions.size() - 1, 200);
  }

  // ---- numbers

  /** RFC 5971 section 9 and RFC 5350 section 4: private and experimental use. */
  @Test
  void itsNumbersAreItsOwn() {
    int nslpId = node.application.nslpId();
    int routerAlert = node.application.routerAlert();
    assertTrue(nslpId >= 32_704 && nslpId <= 32_767, nslpId + " is assigned by IANA");
    assertTrue(routerAlert >= 65_503 && routerAlert <= 65_534, routerAlert + " is by IANA");
  }

  // ---- reading

  @Test
  void noiseIsDroppedWithoutAnAnswer() {
    for (byte[] payload : List.of(new byte[0], new byte[3], new byte[64])) {
      node.application.received(message(payload, FLOW, true, HOP));
    }
    assertEquals(3, node.count(Counter.MALFORMED));
    assertTrue(node.gist.sent.isEmpty());
  }

  @Test
  void everyCutOfARequestIsDropped() {
    byte[] whole = new Request(id(1), 20_000, signed(probe())).encode();
    for (int length = 0; length < whole.length; length++) {
      node.application.received(message(java.util.Arrays.copyOf(whole, length), FLOW, true, HOP));
    }
    assertEquals(whole.length, node.count(Counter.MALFORMED));
    assertTrue(node.gist.sent.isEmpty());
    assertTrue(node.controller.questions.isEmpty());
  }

  @Test
  void wrongDirectionsAndMethodsAreDropped() {
    byte[] request = new Request(id(1), 20_000, signed(probe())).encode();
    byte[] response = new Response(id(1), ResponseStack.EMPTY, PathEnd.ENDPOINT, "").encode();
    node.application.received(message(request, FLOW.flipped(), true, HOP));
    node.application.received(message(response, FLOW, true, HOP));
    Mri loose = new LooseEndMri(FLOW.source(), FLOW.destination(), false);
    node.application.received(message(request, loose, true, HOP));
    assertEquals(3, node.count(Counter.MALFORMED));
    assertTrue(node.gist.sent.isEmpty());
  }

  @Test
  void withoutRoutingStateThereIsNoWayBack() {
    byte[] request = new Request(id(1), 20_000, signed(probe())).encode();
    node.application.received(message(request, FLOW, false, HOP));
    node.application.received(message(request, FLOW, true, null));
    assertEquals(2, node.count(Counter.UNVALIDATED));
    assertTrue(node.gist.sent.isEmpty());
  }

  /** An answer may come without routing state, as ours do, but only by an association. */
  @Test
  void anAnswerByHandleCounts() {
    byte[] answer = new Response(id(1), ResponseStack.EMPTY, PathEnd.ENDPOINT, "").encode();
    Mri up = FLOW.flipped();
    node.request(1, signed(probe()));
    node.controller.decide(0, 200);
    node.application.received(message(answer, up, false, null));
    node.application.received(message(answer, up, false, OTHER_HOP, TransferAttributes.UNRELIABLE));
    node.application.received(message(answer, up, false, OTHER_HOP, TransferAttributes.STATELESS));
    assertEquals(3, node.count(Counter.UNVALIDATED));
    assertEquals(1, node.gist.sent.size());
    node.application.received(message(answer, up, false, OTHER_HOP));
    assertEquals(3, node.count(Counter.UNVALIDATED));
    assertEquals(PathEnd.ENDPOINT, node.gist.last().end());
  }

  @Test
  void anAnswerByHandleIsAsSecureAsPolicyWantsIt() {
    byte[] answer = new Response(id(1), ResponseStack.EMPTY, PathEnd.ENDPOINT, "").encode();
    node.settings =
        new ApplicationSettings(true, true, false, Set.of(), 6000, 1200, 60_000, 120_000, 120);
    node.application.received(message(answer, FLOW.flipped(), false, OTHER_HOP));
    assertEquals(1, node.count(Counter.UNVALIDATED));
    node.application.received(
        message(answer, FLOW.flipped(), false, OTHER_HOP, TransferAttributes.SECURE));
    assertEquals(1, node.count(Counter.UNVALIDATED));
    assertEquals(1, node.count(Counter.LATE_RESPONSE));
  }

  private static ReceivedMessage message(
      byte[] payload, Mri mri, boolean validated, SiiHandle peer) {
    return message(payload, mri, validated, peer, TransferAttributes.RELIABLE);
  }

  private static ReceivedMessage message(
      byte[] payload, Mri mri, boolean validated, SiiHandle peer, TransferAttributes attributes) {
    return new ReceivedMessage(
        payload,
        NslpMessage.NSLP_ID,
        session(1),
        mri,
        validated,
        peer,
        attributes,
        "",
        60,
        1,
        20,
        1,
        false);
  }

  @Test
  void whatIsInsideMustRead() {
    node.request(1, new byte[] {1, 2, 3});
    assertEquals(PathEnd.REFUSED, node.gist.last().end());
    assertEquals(1, node.count(Counter.REFUSED_MESSAGE));
    assertTrue(node.controller.questions.isEmpty());
  }

  @Test
  void theDestinationMustBeThatOfThePath() {
    node.request(1, signed(probe().to(OneNode.FAR)));
    refused("to: the path leads to 203.0.113.7", Counter.REFUSED_MESSAGE);
    assertTrue(node.controller.questions.isEmpty());
  }

  /** The shortest PROBE has no destination of its own. */
  @Test
  void aStrangerNeedNotSayWhereTo() throws Exception {
    Ncm stranger = Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build();
    node.request(1, NcmBinary.encode(stranger));
    assertEquals(1, node.controller.questions.size());
    finish(0);
    assertEquals(List.of(200), statuses(node.gist.last().stack()));
  }

  // ---- repetitions

  @Test
  void aRepetitionUnderWayIsNotASecondRequest() {
    byte[] ncm = signed(probe());
    node.request(1, ncm);
    node.request(1, ncm);
    assertEquals(1, node.gist.sent.size());
    assertEquals(1, node.controller.questions.size());
    assertEquals(1, node.count(Counter.REPEATED));
    finish(0);
    assertEquals(2, node.gist.sent.size());
  }

  @Test
  void aRepetitionGetsTheAnswerAgain() {
    byte[] ncm = signed(probe());
    node.request(1, ncm);
    finish(0);
    node.timers.pass(100_000);
    node.request(1, ncm);
    assertEquals(3, node.gist.sent.size());
    assertArrayEquals(node.gist.sent.get(1).payload(), node.gist.sent.get(2).payload());
    assertEquals(1, node.controller.questions.size());
  }

  @Test
  void answersAreForgottenAfterTwoMinutes() {
    byte[] ncm = signed(probe());
    node.request(1, ncm);
    finish(0);
    assertEquals(1, node.application.remembered());
    node.timers.pass(120_000);
    node.request(1, ncm);
    assertEquals(2, node.controller.questions.size());
    assertEquals(0, node.application.remembered());
    assertEquals(0, node.application.answerBytes());
  }

  private void fromAnotherHop(byte[] ncm, int hops) {
    node.receive(new Request(id(1), 20_000, ncm), FLOW, session(1), OTHER_HOP, false, hops);
  }

  /** Received with 20 hops left and sent on, the message comes back with 18 at most. */
  @Test
  void aRequestThatComesRoundIsALoop() {
    byte[] ncm = signed(probe());
    node.request(1, ncm);
    fromAnotherHop(ncm, 18);
    refused("loop", Counter.LOOP);
    assertEquals(0, node.count(Counter.TAKEN_OVER));
    fromAnotherHop(ncm, 1);
    assertEquals(2, node.count(Counter.LOOP));
    assertEquals(1, node.controller.questions.size());
    finish(0);
    assertEquals(PathEnd.NO_ANSWER, node.gist.last().end());
  }

  /** The path above has changed, so the only answer goes to the new peer. */
  @Test
  void anotherPreviousHopTakesOver() {
    byte[] ncm = signed(probe());
    node.request(1, ncm);
    fromAnotherHop(ncm, 19);
    assertEquals(1, node.count(Counter.TAKEN_OVER));
    assertEquals(0, node.count(Counter.LOOP));
    assertEquals(1, node.gist.sent.size());
    assertEquals(1, node.controller.questions.size());
    finish(0);
    assertEquals(2, node.gist.sent.size());
    assertEquals(OTHER_HOP, node.gist.sent.get(1).peer());
    assertEquals(List.of(200), statuses(node.gist.last().stack()));
    fromAnotherHop(ncm, 19);
    assertEquals(3, node.gist.sent.size());
    assertEquals(1, node.count(Counter.TAKEN_OVER));
    assertEquals(2, node.count(Counter.REPEATED));
  }

  /** No node below waits for an answer to an answered request. */
  @Test
  void anAnswerIsForWhoeverAsksNow() {
    byte[] ncm = signed(probe());
    node.request(1, ncm);
    finish(0);
    assertEquals(HOP, node.gist.sent.get(1).peer());
    fromAnotherHop(ncm, 10);
    assertEquals(3, node.gist.sent.size());
    assertEquals(OTHER_HOP, node.gist.sent.get(2).peer());
    assertArrayEquals(node.gist.sent.get(1).payload(), node.gist.sent.get(2).payload());
    assertEquals(1, node.count(Counter.TAKEN_OVER));
    assertEquals(1, node.application.remembered());
  }

  /** A message that was not sent on cannot have come round. */
  @Test
  void theLastNodeHasNoLoops() {
    byte[] ncm = signed(probe());
    Request request = new Request(id(1), 20_000, ncm);
    node.receive(request, FLOW, session(1), HOP, true, 20);
    node.receive(request, FLOW, session(1), OTHER_HOP, true, 5);
    assertEquals(1, node.count(Counter.TAKEN_OVER));
    assertEquals(1, node.controller.questions.size());
  }

  /** A node that has seen an id must not get an answer that was meant for another message. */
  @Test
  void anIdUsedForSomethingElseGetsNoAnswer() {
    node.request(1, signed(probe()));
    finish(0);
    node.request(1, signed(probe().set(Header.PROBE, "policy")));
    assertEquals(1, node.count(Counter.LOOP));
    byte[] ncm = signed(probe());
    node.receive(new Request(id(1), 20_000, ncm), FLOW, session(2), HOP, false, 20);
    assertEquals(2, node.count(Counter.LOOP));
    assertEquals(1, node.controller.questions.size());
  }

  // ---- responses without a waiting request

  @Test
  void responsesMustFitTheirRequest() {
    node.request(1, signed(probe()));
    node.gist.status(0, MessageStatus.SENT, "");
    node.below(2, ResponseStack.EMPTY, PathEnd.ENDPOINT);
    Response right = new Response(id(1), ResponseStack.EMPTY, PathEnd.ENDPOINT, "");
    node.receive(right, FLOW.flipped(), session(2), OTHER_HOP, false, 20);
    PathCoupledMri other = PathCoupledMri.between(OneNode.SOURCE, OneNode.FAR);
    node.receive(right, other.flipped(), session(1), OTHER_HOP, false, 20);
    assertEquals(3, node.count(Counter.LATE_RESPONSE));
    node.controller.decide(0, 200);
    assertEquals(1, node.gist.sent.size());
    node.below(right);
    assertEquals(2, node.gist.sent.size());
  }

  @Test
  void aResponseThatDoesNotLeaveIsSentAgain() {
    node.request(1, signed(probe()));
    finish(0);
    assertNull(node.gist.sent.get(0).peer(), "a request goes by routing state");
    assertEquals(HOP, node.gist.sent.get(1).peer());
    node.gist.status(1, MessageStatus.NO_ASSOCIATION, "reset");
    node.timers.pass(500);
    assertEquals(3, node.gist.sent.size());
    assertNull(node.gist.sent.get(2).peer(), "to whom routing state leads now");
    node.gist.status(2, MessageStatus.NO_ASSOCIATION, "reset");
    node.timers.pass(1_000);
    assertEquals(4, node.gist.sent.size());
    assertArrayEquals(node.gist.sent.get(1).payload(), node.gist.sent.get(3).payload());
    node.gist.status(3, MessageStatus.NO_ROUTE, "gone");
    node.timers.pass(60_000);
    assertEquals(4, node.gist.sent.size());
    assertEquals(2, node.count(Counter.RESENT_RESPONSE));
    assertEquals(1, node.count(Counter.LOST_RESPONSE));
  }

  // ---- limits

  @Test
  void answersKeptAreBoundedInNumber() {
    byte[] ncm = signed(probe());
    for (int i = 0; i < RequestTable.REMEMBERED + 500; i++) {
      node.request(i, 20_000, ncm, new SiiHandle("h" + i % 100, HOP.address(), 1));
      node.gist.status(node.gist.sent.size() - 1, MessageStatus.NO_RESPONSE, "");
      node.controller.say(i, ControllerPort.Verdict.AWAY);
    }
    assertEquals(RequestTable.REMEMBERED, node.application.remembered());
    assertEquals(0, node.application.underWay());
    node.request(0, 20_000, ncm, new SiiHandle("h0", HOP.address(), 1));
    assertEquals(1, node.application.underWay());
    assertEquals(0, node.count(Counter.REPEATED));
  }

  @Test
  void answersKeptAreBoundedInBytes() throws Exception {
    byte[] ncm = signed(probe());
    String data = "x".repeat(4000);
    List<org.netserv.ncm.ResponseEntry> entries =
        ResponseStack.EMPTY
            .push(node.controller.identity, new byte[0], OneNode.OWN, 200, data)
            .entries();
    ResponseStack big = ResponseStack.of(java.util.Collections.nCopies(15, entries.get(0)));
    for (int i = 0; i < 400; i++) {
      node.request(i, ncm);
      node.gist.status(node.gist.sent.size() - 1, MessageStatus.SENT, "");
      node.controller.say(i, ControllerPort.Verdict.AWAY);
      node.below(i, big, PathEnd.ENDPOINT);
    }
    assertTrue(node.application.answerBytes() <= RequestTable.ANSWER_BYTES);
    assertTrue(node.application.answerBytes() > RequestTable.ANSWER_BYTES - 100_000);
    assertTrue(node.application.remembered() < 300);
  }

  @Test
  void repetitionsDoNotCount() {
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(), 1, 1, 60_000, 120_000, 120);
    byte[] ncm = signed(probe());
    for (int i = 0; i < 10; i++) {
      node.request(1, ncm);
    }
    assertEquals(9, node.count(Counter.REPEATED));
    assertEquals(0, node.count(Counter.REFUSED_HOP_RATE));
  }

  // ---- security

  @Test
  void aPolicyOfTlsTakesNothingElse() {
    node.settings =
        new ApplicationSettings(true, true, false, Set.of(), 100, 100, 60_000, 120_000, 120);
    node.request(1, signed(probe()));
    refused("this node takes requests by TLS", Counter.REFUSED_INSECURE);
    assertEquals(TransferAttributes.SECURE, node.gist.sent.get(0).attributes());
    Request request = new Request(id(2), 20_000, signed(probe()));
    node.application.received(
        new ReceivedMessage(
            request.encode(),
            NslpMessage.NSLP_ID,
            session(1),
            FLOW,
            true,
            HOP,
            TransferAttributes.SECURE,
            "dns:a.example",
            60,
            1,
            20,
            1,
            false));
    assertEquals(TransferAttributes.SECURE, node.gist.sent.get(1).attributes());
    assertEquals(1, node.controller.questions.size());
  }

  // ---- peering

  @Test
  void peersByEveryInterfaceOrThoseOfThePolicy() {
    ReceivedMessage query = message(new byte[0], FLOW, true, HOP);
    assertTrue(node.application.check(query).peer());
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(1), 100, 100, 60_000, 120_000, 120);
    assertTrue(node.application.check(query).peer());
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(2), 100, 100, 60_000, 120_000, 120);
    assertEquals(false, node.application.check(query).peer());
    assertEquals(1, node.count(Counter.PASSED_BY));
    node.settings =
        new ApplicationSettings(false, false, false, Set.of(), 9, 9, 60_000, 120_000, 120);
    assertEquals(false, node.application.check(query).peer());
    assertEquals(2, node.count(Counter.PASSED_BY));
  }

  @Test
  void sessionsDoNotMix() {
    byte[] ncm = signed(probe());
    InetAddress user = FLOW.destination();
    assertNotEquals(OneNode.FAR, user);
    node.request(1, ncm);
    node.receive(new Request(id(2), 20_000, ncm), FLOW, session(2), HOP, false, 20);
    assertEquals(session(1), node.gist.sent.get(0).session());
    assertEquals(session(2), node.gist.sent.get(1).session());
    node.gist.status(1, MessageStatus.NO_RESPONSE, "");
    node.controller.decide(1, 200);
    assertEquals(session(2), node.gist.sent.get(2).session());
    assertEquals(id(2), node.gist.last().id());
  }
}
