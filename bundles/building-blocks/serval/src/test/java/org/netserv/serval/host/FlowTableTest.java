// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowRefusal;
import org.netserv.serval.flow.Outgoing;

/** Hosts against each other, packet by packet. */
class FlowTableTest {
  private static final int SYN = ControlFlags.SYN;
  private static final int ACK = ControlFlags.ACK;
  private static final int RST = ControlFlags.RST;
  private static final int FIN = ControlFlags.FIN;
  private static final long MINUTE = 60_000;
  private static final Endpoint HOME = Endpoint.ofIpv4(0x0a000001, 0);
  private static final Endpoint AWAY = Endpoint.ofIpv4(0x0a000002, 0);
  private static final Endpoint SHOP = Endpoint.ofIpv4(0x0a000009, 0);
  private static final Endpoint GROUP = Endpoint.ofIpv4(0xe0000001, 0);

  private final Host client = new Host(1, HOME, HostLimits.DEFAULT);
  private Host server = new Host(2, SHOP, HostLimits.DEFAULT);
  private Flow flow;

  private void connect(long now) {
    flow = client.table.connect(Host.SERVICE, HOME, client, now);
    assertEquals(HostVerdict.REQUEST, server.take(client, now));
    assertEquals(HostVerdict.CONTROL, client.take(server, now));
    assertEquals(HostVerdict.CONTROL, server.take(client, now));
  }

  private static SalPacket data(int from, int to) {
    return data(from, to, 20);
  }

  private static SalPacket data(int from, int to, int length) {
    ByteBuffer bytes = ByteBuffer.allocate(12 + length);
    new SalWriter().begin(bytes, 0, 12, from, to, SalPacket.UDP).finish();
    SalPacket packet = new SalPacket();
    assertEquals(ServalError.OK, packet.reset(bytes, 0, 12 + length));
    return packet;
  }

  private static SalPacket datagram(ServiceId to) {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    SalWriter writer = new SalWriter().begin(bytes, 0, 100, 5, 0, SalPacket.UDP);
    Service.put(writer, to);
    Service.put(writer, ServiceId.parse("0d"));
    return Host.read(bytes, writer.finish());
  }

  private HostVerdict give(SalPacket packet, Endpoint from) {
    return server.take(packet, from, 0);
  }

  private static Outgoing syn(int flow, long nonce, Endpoint from) {
    ControlMessage message = new ControlMessage(flow, 0, SYN, 0, 100, 0, nonce);
    return new Outgoing(message, from, null, Host.SERVICE, 0, Way.STRAIGHT);
  }

  private static Outgoing ack(Outgoing synAck, Endpoint from) {
    ControlMessage of = synAck.message();
    ControlMessage message =
        new ControlMessage(
            of.destinationFlow(), of.sourceFlow(), ACK, 0, of.ackno(), of.verno() + 1, 77);
    return new Outgoing(message, from, SHOP, Host.SERVICE, 0, Way.STRAIGHT);
  }

  @Test
  void aWholeFlow() {
    connect(0);
    Flow other = server.table.flow();
    assertEquals(HostVerdict.DATA, give(data(flow.identity().flowId(), flow.peerFlow()), HOME));
    assertEquals(other, server.table.flow());
    client.table.move(flow, AWAY, 5);
    assertEquals(HostVerdict.CONTROL, server.take(client, 5));
    client.take(server, 5);
    server.take(client, 5);
    assertEquals(AWAY, other.peer());
    client.table.close(flow, 9);
    server.take(client, 9);
    client.take(server, 9);
    server.table.close(other, 9);
    client.take(server, 9);
    server.take(client, 9);
    assertEquals(0, server.table.size());
    assertEquals("TIMEWAIT", flow.state());
    assertEquals(9 + MINUTE, client.table.dueAt());
    client.table.due(9 + MINUTE);
    assertEquals(0, client.table.size());
    assertEquals(Long.MAX_VALUE, client.table.dueAt());
  }

  /** A flow leaves nothing, so that a late message for it gets a RST and changes nothing. */
  @Test
  void aMessageForAFlowThatIsOver() {
    connect(0);
    client.table.abort(flow, 0);
    Outgoing rst = client.sent.poll();
    assertEquals(HostVerdict.CONTROL, server.take(rst, 0));
    assertEquals(HostVerdict.NO_FLOW, server.take(rst, 0));
    assertTrue(server.sent.isEmpty()); // no RST for a RST
  }

  /** 100,000 strangers leave no more than the limit, and nothing after a minute. */
  @Test
  void aFloodLeavesNoState() {
    int flood = 100_000;
    for (int i = 0; i < flood; i++) {
      server.take(syn(2, 77, Endpoint.ofIpv4(0x0b000000 + i, 0)), 0);
      server.sent.clear();
    }
    int most = HostLimits.DEFAULT.requests();
    assertEquals(most, server.table.size());
    assertEquals(most, server.table.verdicts().of(HostVerdict.REQUEST));
    assertEquals(flood - most, server.table.verdicts().of(HostVerdict.ANSWERED));

    flow = client.table.connect(Host.SERVICE, HOME, client, 10);
    assertEquals(HostVerdict.ANSWERED, server.take(client, 10));
    assertEquals(most, server.table.size());
    assertEquals(HostVerdict.CONTROL, client.take(server, 20));
    assertEquals(HostVerdict.PROVEN, server.take(client, 30));
    Flow honest = server.table.flow();
    assertEquals("CONNECTED", honest.state());
    assertEquals(flow.abilities(), honest.abilities());
    assertEquals(List.of("connected"), server.told);
    assertEquals(HostVerdict.DATA, give(data(flow.identity().flowId(), flow.peerFlow()), HOME));

    server.table.due(MINUTE);
    while (server.table.dueAt() <= MINUTE) {
      server.table.due(server.table.dueAt());
    }
    assertEquals(1, server.table.size());
    assertEquals(0, server.table.requests());
    assertEquals(Long.MAX_VALUE, server.table.dueAt());
    server.sent.clear();
    server.table.close(honest, MINUTE);
    assertEquals(HostVerdict.CONTROL, client.take(server, MINUTE));
    assertEquals("CLOSEWAIT", flow.state());
  }

  private Outgoing stateless(long now) {
    server = new Host(2, SHOP, new HostLimits(10, 0));
    assertEquals(HostVerdict.ANSWERED, server.take(syn(2, 77, HOME), now));
    return server.sent.poll();
  }

  /** Each number of the acknowledgement, the address and the time have to be right. */
  @Test
  void anAnswerWithoutStateIsProvenByAllItsNumbers() {
    Outgoing good = ack(stateless(0), HOME);
    ControlMessage m = good.message();
    int own = m.destinationFlow();
    for (ControlMessage wrong :
        List.of(
            new ControlMessage(3, own, ACK, 0, m.verno(), m.ackno(), 77),
            new ControlMessage(2, own + 1, ACK, 0, m.verno(), m.ackno(), 77),
            new ControlMessage(2, own, ACK, 0, m.verno() + 1, m.ackno(), 77),
            new ControlMessage(2, own, ACK, 0, m.verno(), m.ackno() + 1, 77),
            new ControlMessage(2, own, ACK, 0, m.verno(), m.ackno(), 78))) {
      Outgoing out = new Outgoing(wrong, HOME, SHOP, Host.SERVICE, 0, Way.STRAIGHT);
      assertEquals(HostVerdict.NO_FLOW, server.take(out, 0));
      assertEquals(wrong.refusal(), server.sent.poll().message());
    }
    assertEquals(HostVerdict.NO_FLOW, server.take(ack(server(good), AWAY), 0));
    assertEquals(HostVerdict.NO_FLOW, server.take(good, 2 * MINUTE));
    assertEquals(0, server.table.size());
    server.sent.clear();
    Endpoint otherPort = Endpoint.ofIpv4(HOME.ipv4(), 999);
    assertEquals(HostVerdict.PROVEN, server.take(ack(server(good), otherPort), 2 * MINUTE - 1));
    assertEquals(otherPort, server.table.flow().peer());
  }

  /** The acknowledgement finds the host full, or a listener that takes no flow now. */
  @Test
  void anAcknowledgementWithoutRoomIsRefusedByName() {
    server = new Host(2, SHOP, new HostLimits(1, 0));
    assertEquals(HostVerdict.ANSWERED, server.take(syn(2, 77, HOME), 0));
    assertEquals(HostVerdict.ANSWERED, server.take(syn(2, 77, AWAY), 0));
    Outgoing first = ack(server.sent.poll(), HOME);
    Outgoing second = ack(server.sent.poll(), AWAY);
    server.accepts = false;
    assertEquals(HostVerdict.LISTENER_FULL, server.take(first, 0));
    server.accepts = true;
    assertEquals(HostVerdict.PROVEN, server.take(first, 0));
    server.sent.clear();
    assertEquals(HostVerdict.FLOWS_FULL, server.take(second, 0));
    assertEquals(RST | ACK, server.sent.poll().message().flags());
  }

  /** Returns the SYN-ACK of an acknowledgement. */
  private static Outgoing server(Outgoing ack) {
    ControlMessage m = ack.message();
    ControlMessage synAck =
        new ControlMessage(
            m.destinationFlow(), m.sourceFlow(), SYN | ACK, 0, m.ackno() - 1, m.verno(), 0);
    return Outgoing.reply(synAck, SHOP, HOME);
  }

  /** A copy of the acknowledgement makes no second flow, also when the first is over. */
  @Test
  void aReplayedAcknowledgementMakesNoFlow() {
    Outgoing good = ack(stateless(0), HOME);
    assertEquals(HostVerdict.PROVEN, server.take(good, 0));
    assertEquals(HostVerdict.CONTROL, server.take(good, 0));
    assertEquals(1, server.table.size());
    server.table.abort(server.table.flow(), 0);
    assertEquals(HostVerdict.NO_FLOW, server.take(good, MINUTE));
    assertEquals(0, server.table.size());
    assertEquals(HostVerdict.NO_FLOW, server.take(good, 2 * MINUTE));
  }

  /** The SYN again gets the same numbers, so that its client may take either answer. */
  @Test
  void aSecondAnswerWithoutStateHasTheSameNumbers() {
    Outgoing first = stateless(0);
    server.take(syn(2, 77, HOME), 3_000);
    assertEquals(first.message(), server.sent.poll().message());
    assertNotEquals(0, first.message().sourceFlow());
    server.take(ack(first, HOME), 4_000);
    assertEquals(HostVerdict.CONTROL, server.take(syn(2, 77, HOME), 5_000)); // late
    assertEquals(1, server.table.size());
  }

  /** Data may overtake the acknowledgement, and a RST would end the flow of an honest client. */
  @Test
  void dataBeforeTheAcknowledgementGetNoRst() {
    Outgoing answer = stateless(0);
    int own = answer.message().sourceFlow();
    assertEquals(HostVerdict.EARLY, give(data(2, own), HOME));
    assertTrue(server.sent.isEmpty());
    assertEquals(HostVerdict.PROVEN, server.take(ack(answer, HOME), 0));
    assertEquals(HostVerdict.DATA, give(data(2, own), HOME));
    server = new Host(2, SHOP, HostLimits.DEFAULT);
    server.take(syn(2, 77, HOME), 0);
    assertEquals(HostVerdict.EARLY, give(data(2, server.sent.poll().message().sourceFlow()), HOME));
  }

  @Test
  void oneFlowIdOfTwoClientsAndOfOneThatStartsAgain() {
    for (Outgoing syn : List.of(syn(2, 77, HOME), syn(2, 77, AWAY), syn(2, 78, HOME))) {
      assertEquals(HostVerdict.REQUEST, server.take(syn, 0));
    }
    assertEquals(3, server.table.size());
    Set<Integer> flows = new HashSet<>();
    server.sent.forEach(out -> flows.add(out.message().sourceFlow()));
    assertEquals(3, flows.size());
    assertEquals(HostVerdict.CONTROL, server.take(syn(2, 77, AWAY), 1));
    assertEquals(3, server.table.size());
    assertEquals(4, server.sent.size());
  }

  @Test
  void flowIdsAreRandomAndNeverTwice() {
    Set<Integer> flows = new HashSet<>();
    int ordered = 0;
    int last = 0;
    for (int i = 0; i < 10_000; i++) {
      int flowId = client.table.connect(Host.SERVICE, HOME, client, 0).identity().flowId();
      assertTrue(flowId != 0 && flows.add(flowId));
      ordered += flowId > last ? 1 : 0;
      last = flowId;
    }
    assertTrue(ordered > 4_000 && ordered < 6_000, "ordered " + ordered);
    assertEquals(10_000, client.table.size());
    assertEquals(3_000, client.table.dueAt());
    client.sent.clear();
    client.table.due(3_000);
    assertEquals(10_000, client.sent.size());
    assertEquals(9_000, client.table.dueAt());
  }

  @Test
  void everyRefusalByItsName() {
    assertEquals(HostVerdict.SENDER, server.take(syn(2, 77, GROUP), 0));
    Outgoing syn = syn(2, 77, HOME);
    Outgoing nameless = Outgoing.reply(syn.message(), HOME, SHOP);
    assertEquals(HostVerdict.NO_SERVICE, server.take(nameless, 0));
    assertEquals(HostVerdict.WRONG_FLOW, server.take(syn(0, 77, HOME), 0));
    ServiceId other = ServiceId.parse("0e");
    Outgoing stranger = new Outgoing(syn.message(), HOME, null, other, 0, Way.STRAIGHT);
    assertEquals(HostVerdict.NO_LISTENER, server.take(stranger, 0));
    List<Endpoint> hops = Collections.nCopies(20, HOME);
    Outgoing far = new Outgoing(syn.message(), HOME, null, Host.SERVICE, 0, new Way(hops, false));
    assertEquals(HostVerdict.TOO_MANY_HOPS, server.take(far, 0));
    server.accepts = false;
    assertEquals(HostVerdict.LISTENER_FULL, server.take(syn, 0));
    assertEquals(HostVerdict.NOTHING, give(data(2, 0), HOME));
    assertTrue(server.sent.isEmpty());

    assertEquals(HostVerdict.NO_LISTENER, give(datagram(other), HOME));
    ControlMessage rst = new ControlMessage(0, 5, RST | ACK, 0, 0, 0, 0);
    assertEquals(rst, server.sent.poll().message()); // as the published stack does
    assertEquals(HostVerdict.NO_FLOW, give(data(2, 9), HOME));
    assertEquals(new ControlMessage(9, 2, RST | ACK, 0, 0, 0, 0), server.sent.poll().message());
    ControlMessage fin = new ControlMessage(2, 9, FIN, 0, 10, 20, 0x99);
    assertEquals(HostVerdict.NO_FLOW, server.take(Outgoing.reply(fin, HOME, SHOP), 0));
    assertEquals(fin.refusal(), server.sent.poll().message());
    assertEquals(HostVerdict.DATAGRAM, give(datagram(Host.SERVICE), HOME));
    assertEquals(Host.SOCKET, server.table.socket());

    server.accepts = true;
    connect(0);
    int own = flow.identity().flowId();
    assertEquals(HostVerdict.WRONG_FLOW, give(data(own + 1, flow.peerFlow()), HOME));
    ControlMessage forged = new ControlMessage(own, flow.peerFlow(), FIN, 0, 1, 1, 5);
    assertEquals(HostVerdict.FLOW_REFUSES, server.take(Outgoing.reply(forged, HOME, SHOP), 0));
    assertEquals(FlowRefusal.WRONG_NONCE, server.table.refusal());
    assertEquals(1, server.table.refusals().of(FlowRefusal.WRONG_NONCE));
    assertEquals(1, server.table.verdicts().of(HostVerdict.FLOW_REFUSES));

    server = new Host(2, SHOP, new HostLimits(0, 0));
    assertEquals(HostVerdict.FLOWS_FULL, server.take(syn, 0));
    assertNull(server.table.connect(Host.SERVICE, SHOP, server, 0));
    assertEquals(2, server.table.verdicts().of(HostVerdict.FLOWS_FULL));
  }

  /** A forged source would get more than its sender has sent. */
  @Test
  void noRstIsLongerThanItsPacket() {
    for (int length = 0; length < 40; length++) {
      assertEquals(HostVerdict.NO_FLOW, give(data(2, 9, length), HOME));
      assertEquals(length >= 20, server.sent.poll() != null, "behind the header: " + length);
    }
  }

  /** A SYN may come by broadcast. Nothing else that does gets an answer. */
  @Test
  void whatComesToAllHosts() {
    assertEquals(HostVerdict.REQUEST, server.takeBroadcast(Host.packet(syn(2, 77, HOME)), HOME, 0));
    assertEquals(SHOP, server.sent.poll().from());
    ControlMessage fin = new ControlMessage(2, 9, FIN, 0, 10, 20, 0x99);
    SalPacket packet = Host.packet(Outgoing.reply(fin, HOME, SHOP));
    assertEquals(HostVerdict.GROUP, server.takeBroadcast(packet, HOME, 0));
    assertEquals(HostVerdict.GROUP, server.takeBroadcast(data(2, 9), HOME, 0));
    SalPacket other = datagram(ServiceId.parse("0e"));
    assertEquals(HostVerdict.NO_LISTENER, server.takeBroadcast(other, HOME, 0));
    assertTrue(server.sent.isEmpty());
  }

  /** Returns the verdict about a SYN-ACK from an address, whose list ends at another one. */
  private HostVerdict synAck(Endpoint from, Endpoint last) {
    client.sent.clear();
    flow = client.table.connect(Host.SERVICE, HOME, client, 0);
    Outgoing syn = client.sent.poll();
    client.table.asked(syn.message().sourceFlow(), SHOP, 0);
    server.take(syn, 0);
    Outgoing honest = server.sent.poll();
    Way way = new Way(List.of(HOME, last), !last.isIpv4());
    return client.take(new Outgoing(honest.message(), from, HOME, null, 0, way), 1);
  }

  /** The list counts if the SYN went to its sender, and leads neither to a group nor back here. */
  @Test
  void aSynAckLeadsWhereTheRouterOfThisHostSays() {
    Endpoint loopback = Endpoint.ofIpv4(0x7f000001, 0);
    for (Endpoint refused : List.of(GROUP, loopback, new Endpoint(0, 1, 0))) {
      assertEquals(HostVerdict.SENDER, synAck(SHOP, refused));
      assertEquals("REQUEST", flow.state());
    }
    assertEquals(HostVerdict.CONTROL, synAck(SHOP, AWAY));
    assertEquals(AWAY, flow.peer());
    for (Endpoint victim : List.of(SHOP, GROUP, loopback)) {
      assertEquals(HostVerdict.CONTROL, synAck(AWAY, victim));
      assertEquals(AWAY, flow.peer());
    }
    assertEquals(HostVerdict.CONTROL, synAck(loopback, loopback));
  }

  /** The SYN-ACK shows the way, with and without state, and its last address is the peer. */
  @Test
  void theWayOverARouter() {
    for (int requests : new int[] {1, 0}) {
      server = new Host(2, SHOP, new HostLimits(9, requests));
      flow = client.table.connect(Host.SERVICE, HOME, client, 0);
      Outgoing syn = client.sent.poll();
      Way way = new Way(List.of(HOME, AWAY), false);
      server.take(new Outgoing(syn.message(), HOME, null, Host.SERVICE, 0, way), 0);
      Outgoing synAck = server.sent.poll();
      assertEquals(List.of(HOME, AWAY, SHOP), synAck.way().hops());
      client.table.asked(syn.message().sourceFlow(), AWAY, 0);
      client.take(Host.packet(synAck), AWAY, 0); // it came by the router
      assertEquals(SHOP, flow.peer());
      client.sent.clear();
    }
  }
}
