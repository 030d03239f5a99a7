// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.sim.SimPacket;
import org.netserv.gist.wire.Encapsulation;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.OffendingMessage;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/**
 * Each event in each state of both machines: the messages sent, the application's news, and the
 * state left. The node p queries, the node a responds.
 */
class StatesTest {
  private static final SessionId SESSION = SimApplication.session(1);

  private final SimNetwork network = SimNetwork.line(1, "p", "a", "u");
  private final SimHost p = network.host("p").start(GistSettings.DEFAULT);
  private final SimHost a = network.host("a").start(GistSettings.DEFAULT);
  private final PathCoupledMri flow = SimApplication.flow(p, network.host("u"));

  private enum State {
    AWAITING_RESPONSE,
    ESTABLISHED,
    AWAITING_REFRESH
  }

  /** Brings the querier to a state. The path is cut in the two states that wait. */
  private void bring(State state) {
    network.linkBetween("p", "a").loss = state == State.AWAITING_RESPONSE ? 1 : 0;
    p.application.send("first", SESSION, flow, TransferAttributes.UNRELIABLE);
    network.clock.pass(100);
    if (state == State.AWAITING_REFRESH) {
      network.linkBetween("p", "a").loss = 1;
      p.node.invalidateRoutingState(
          SimApplication.NSLPID, flow, RoutingStatus.TENTATIVE, null, true);
    }
    network.clock.pass(1);
    network.seen.clear();
    p.application.statuses.clear();
    p.application.notifications.clear();
  }

  private List<String> sentTypes() {
    return network.seen.stream()
        .map(packet -> packet.payload()[10] & 0x7f)
        .map(code -> Arrays.stream(MessageType.values()).filter(t -> t.code() == code))
        .map(type -> type.findFirst().orElseThrow().name())
        .toList();
  }

  private List<String> kinds() {
    return p.application.notifications.stream()
        .map(n -> n.kind() + (n.status() == null ? "" : " " + n.status()))
        .toList();
  }

  /** Sends an Error of a node on the way about our last Query, or about a similar message. */
  private void error(GistError error) {
    SimPacket query = network.seen.isEmpty() ? lastQuery() : network.seen.get(0);
    byte[] message = Magic.strip(query.payload()).orElseThrow();
    byte[] bytes =
        ErrorMessages.message(
                ErrorMessages.object(
                    error, OffendingMessage.of(message), Encapsulation.Q_MODE, List.of(), ""),
                64,
                new NetworkLayerInfo(0, 30_000, new byte[] {9}, a.address()))
            .encode();
    p.inject(
        new InboundDatagram(
            0, a.address(), 270, p.address(), 270, 64, 0, 0, -1, 1, true, Magic.wrap(bytes)));
    network.clock.pass(0);
  }

  /**
   * Returns a message for an Error to quote. Any message of ours about the flow will do, because
   * the Error repeats MRI, session and NSLPID.
   */
  private SimPacket lastQuery() {
    SimNetwork copy = SimNetwork.line(1, "p", "a", "u");
    SimHost same = copy.host("p").start(GistSettings.DEFAULT);
    same.application.send("x", SESSION, flow, TransferAttributes.UNRELIABLE);
    return copy.seen.get(0);
  }

  private List<String> after(State state, Consumer<StatesTest> event) {
    StatesTest test = new StatesTest();
    test.bring(state);
    event.accept(test);
    test.network.clock.pass(0);
    List<String> what = new ArrayList<>(test.sentTypes());
    what.addAll(test.kinds());
    what.addAll(test.p.application.statuses);
    what.add("states " + test.p.states());
    return what;
  }

  @Test
  void send() {
    Consumer<StatesTest> event =
        t -> t.p.application.send("more", SESSION, t.flow, TransferAttributes.UNRELIABLE);
    assertEquals(List.of("states 1"), after(State.AWAITING_RESPONSE, event));
    List<String> sent = List.of("DATA", "more SENT", "states 1");
    assertEquals(sent, after(State.ESTABLISHED, event));
    assertEquals(sent, after(State.AWAITING_REFRESH, event));
  }

  @Test
  void sendWhatNeedsAnAssociation() {
    Consumer<StatesTest> event =
        t -> t.p.application.send("more", SESSION, t.flow, TransferAttributes.RELIABLE);
    assertEquals(List.of("states 1"), after(State.AWAITING_RESPONSE, event));
    assertEquals(List.of("QUERY", "states 1"), after(State.ESTABLISHED, event));
    assertEquals(List.of("states 1"), after(State.AWAITING_REFRESH, event));
  }

  @Test
  void noRoutingState() {
    Consumer<StatesTest> event = t -> t.error(GistError.NO_ROUTING_STATE);
    assertEquals(List.of("states 1"), after(State.AWAITING_RESPONSE, event));
    List<String> again = List.of("QUERY", "ROUTING_STATUS_CHANGE BAD", "states 1");
    assertEquals(again, after(State.ESTABLISHED, event));
    assertEquals(
        List.of("QUERY", "ROUTING_STATUS_CHANGE BAD", "states 1"),
        after(State.AWAITING_REFRESH, event));
  }

  @Test
  void endpointFound() {
    Consumer<StatesTest> event = t -> t.error(GistError.ENDPOINT_FOUND);
    assertEquals(
        List.of("LAST_NODE", "first LAST_NODE endpoint found", "states 0"),
        after(State.AWAITING_RESPONSE, event));
    assertEquals(List.of("states 1"), after(State.ESTABLISHED, event));
    assertEquals(
        List.of("LAST_NODE", "ROUTING_STATUS_CHANGE BAD", "ROUTE_DELETION", "states 0"),
        after(State.AWAITING_REFRESH, event));
  }

  @Test
  void otherErrors() {
    Consumer<StatesTest> event = t -> t.error(GistError.MRI_TOO_WILD);
    assertEquals(
        List.of("first REFUSED error 12/0 MRI too wild", "states 0"),
        after(State.AWAITING_RESPONSE, event));
    assertEquals(List.of("states 1"), after(State.ESTABLISHED, event));
    assertEquals(List.of("states 1"), after(State.AWAITING_REFRESH, event));
  }

  @Test
  void messageTooLarge() {
    Consumer<StatesTest> event = t -> t.error(GistError.MESSAGE_TOO_LARGE);
    assertEquals(List.of("QUERY", "states 1"), after(State.AWAITING_RESPONSE, event));
    assertEquals(List.of("states 1"), after(State.ESTABLISHED, event));
    assertEquals(List.of("QUERY", "states 1"), after(State.AWAITING_REFRESH, event));
  }

  @Test
  void invalidateBad() {
    Consumer<StatesTest> urgent =
        t ->
            t.p.node.invalidateRoutingState(
                SimApplication.NSLPID, t.flow, RoutingStatus.BAD, null, true);
    assertEquals(List.of("states 1"), after(State.AWAITING_RESPONSE, urgent));
    assertEquals(List.of("QUERY", "states 1"), after(State.ESTABLISHED, urgent));
    assertEquals(List.of("QUERY", "states 1"), after(State.AWAITING_REFRESH, urgent));
    Consumer<StatesTest> later =
        t -> {
          t.p.node.invalidateRoutingState(
              SimApplication.NSLPID, t.flow, RoutingStatus.BAD, null, false);
          t.network.clock.pass(1000);
          t.network.seen.add(null);
          t.p.application.send("more", SESSION, t.flow, TransferAttributes.UNRELIABLE);
          t.network.seen.remove(null);
        };
    assertEquals(List.of("QUERY", "states 1"), after(State.ESTABLISHED, later));
  }

  @Test
  void lifetimeZero() {
    Consumer<StatesTest> event =
        t -> t.p.node.setStateLifetime(SimApplication.NSLPID, t.flow, SESSION, Duration.ZERO);
    List<String> over = List.of("ROUTING_STATUS_CHANGE BAD", "ROUTE_DELETION", "states 0");
    assertEquals(
        List.of("first NO_ROUTE given up by the application", "states 0"),
        after(State.AWAITING_RESPONSE, event));
    assertEquals(over, after(State.ESTABLISHED, event));
    assertEquals(over, after(State.AWAITING_REFRESH, event));
  }

  @Test
  void noResponse() {
    assertEquals(
        List.of("QUERY", "states 1"),
        after(State.AWAITING_RESPONSE, t -> t.network.clock.pass(450)));
    assertEquals(List.of("states 1"), after(State.ESTABLISHED, t -> t.network.clock.pass(450)));
    assertEquals(
        List.of("QUERY", "states 1"),
        after(State.AWAITING_REFRESH, t -> t.network.clock.pass(500)));
  }

  @Test
  void validityOver() {
    List<String> end = List.of("ROUTING_STATUS_CHANGE BAD", "ROUTE_DELETION", "states 0");
    List<String> refresh = after(State.AWAITING_REFRESH, t -> t.network.clock.pass(30_000));
    assertEquals(end, refresh.subList(refresh.size() - 3, refresh.size()));
  }

  @Test
  void inactivityEndsIt() {
    List<String> what = after(State.ESTABLISHED, t -> t.network.clock.pass(121_000));
    assertEquals("states 0", what.get(what.size() - 1));
    StatesTest quiet = new StatesTest();
    quiet.bring(State.ESTABLISHED);
    quiet.network.clock.pass(300_000);
    assertEquals(0, quiet.a.states(), "and the responder's by age");
    assertEquals(0, quiet.network.clock.pending(), "no timer is left");
    assertEquals(1, quiet.p.count(Counter.STATE_INACTIVE));
    assertEquals(1, quiet.a.count(Counter.STATE_EXPIRED));
  }

  // ---- the responder

  @Test
  void theResponderAnswersWithoutState() {
    network.linkBetween("p", "a").jitter = 0;
    p.application.send("first", SESSION, flow, TransferAttributes.UNRELIABLE);
    network.clock.pass(1); // the Query has come, the Confirm has not
    assertEquals(1, network.sent(MessageType.RESPONSE));
    assertEquals(0, a.states());
    network.clock.pass(2);
    assertEquals(1, a.states());
  }

  @Test
  void theResponderSendsUpstreamByTheAssociation() {
    p.application.send("first", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(100);
    a.application.send("back", SESSION, flow.flipped(), TransferAttributes.RELIABLE);
    network.clock.pass(100);
    assertEquals(List.of("back"), p.application.texts());
    assertEquals(List.of("back SENT"), a.application.statuses);
  }

  @Test
  void theResponderKeepsWhatNeedsAnAssociationUntilThereIsOne() {
    bring(State.ESTABLISHED);
    a.application.send("back", SESSION, flow.flipped(), TransferAttributes.RELIABLE);
    network.clock.pass(100);
    assertEquals(List.of(), a.application.statuses);
    p.application.send("now", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(100);
    assertEquals(List.of("back SENT"), a.application.statuses);
    assertEquals(List.of("back"), p.application.texts());
  }

  @Test
  void theResponderGivesUpOnNoRoutingState() {
    bring(State.ESTABLISHED);
    p.node.setStateLifetime(SimApplication.NSLPID, flow, SESSION, Duration.ZERO);
    a.application.send("back", SESSION, flow.flipped(), TransferAttributes.UNRELIABLE);
    network.clock.pass(100);
    assertEquals(1, p.count(Counter.REFUSED_NO_STATE));
    assertEquals(0, a.states());
    assertTrue(a.application.notifications.stream().anyMatch(n -> n.status() == RoutingStatus.BAD));
  }

  @Test
  void aReplayedConfirmIsIgnoredWhileItLivesAndAfter() {
    p.application.send("first", SESSION, flow, TransferAttributes.UNRELIABLE);
    network.clock.pass(100);
    SimPacket confirm =
        network.seen.stream()
            .filter(x -> (x.payload()[10] & 0x7f) == MessageType.CONFIRM.code())
            .findFirst()
            .orElseThrow();
    InboundDatagram replay =
        new InboundDatagram(
            0,
            confirm.source(),
            270,
            confirm.destination(),
            270,
            64,
            0,
            0,
            -1,
            1,
            true,
            confirm.payload());
    a.inject(replay);
    assertEquals(1, a.states());
    assertEquals(1, a.count(Counter.UNEXPECTED_EVENT));
    a.node.setStateLifetime(SimApplication.NSLPID, flow.flipped(), SESSION, Duration.ZERO);
    a.inject(replay);
    assertEquals(0, a.states());
    assertEquals(1, a.count(Counter.DROPPED_BAD_COOKIE));
  }
}
