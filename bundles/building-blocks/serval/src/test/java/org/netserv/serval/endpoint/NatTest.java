// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.host.HostVerdict;
import org.netserv.serval.table.Forwarding;

/**
 * A client behind a NAT with a port for each destination, which lets in answers of the address and
 * port asked alone. A router lies outside of it.
 */
class NatTest {
  private static final ServiceId SHOP = ServiceId.parse("00004001");
  private static final Endpoint CLIENT = LossyNet.address(1);
  private static final Endpoint SERVER = LossyNet.address(2);
  private static final Endpoint ROUTER = LossyNet.address(3);
  private static final Endpoint AT_ROUTER = Endpoint.ofIpv4(0x0a000009, 1111);
  private static final Endpoint AT_SERVER = Endpoint.ofIpv4(0x0a000009, 2222);
  private static final long TICKET = 0x7469636b65743031L;
  private static final int ROOM = 2048;

  private final LossyNet net = new LossyNet(3);
  private final SalPacket packet = new SalPacket();
  private final Program asker = new Program(false);
  private final Program echo = new Program(true);
  private ServalEndpoint client;
  private ServalEndpoint server;
  private boolean gives = true;
  private boolean opened;
  private int filtered;
  private int returned;
  private int plain;
  private int asked;

  @BeforeEach
  void begin() {
    begin(knowing(true));
  }

  private void begin(EndpointSettings settings) {
    client = net.endpoint(1, settings);
    net.attach(CLIENT, (bytes, from, to) -> client.receive(bytes, from, to));
    net.attach(ROUTER, (bytes, from, to) -> route(bytes, seenByRouter(from)));
    net.attach(AT_ROUTER, (bytes, from, to) -> enter(bytes, from, ROUTER));
    net.attach(AT_SERVER, (bytes, from, to) -> enter(bytes, from, opened ? SERVER : null));
  }

  private void serve(EndpointSettings settings) {
    server = net.endpoint(2, settings);
    net.attach(SERVER, (bytes, from, to) -> server.receive(bytes, seen(from), to));
    server.bindLocally(ServicePrefix.of(SHOP), echo);
  }

  private static EndpointSettings knowing(boolean router) {
    Router known = new Router(Router.PUBLISHED, ROUTER);
    return router ? EndpointSettings.DEFAULT.with(known) : EndpointSettings.DEFAULT;
  }

  private Endpoint seen(Endpoint from) {
    opened |= from.equals(CLIENT);
    return from.equals(CLIENT) ? AT_SERVER : from;
  }

  private static Endpoint seenByRouter(Endpoint from) {
    return from.equals(CLIENT) ? AT_ROUTER : from;
  }

  private void enter(ByteBuffer bytes, Endpoint from, Endpoint asked) {
    if (from.equals(asked)) {
      client.receive(bytes, from, CLIENT);
    } else {
      filtered++;
    }
  }

  /** Sends a SYN on with its hops and a ticket, and takes a SYN-ACK with that ticket back. */
  private void route(ByteBuffer bytes, Endpoint from) {
    packet.reset(bytes, bytes.position(), bytes.limit());
    Way way = Way.get(packet);
    SalWriter writer = new SalWriter();
    ByteBuffer out = ByteBuffer.allocate(ROOM);
    writer.begin(out, 0, ROOM, packet.sourceFlow(), packet.destinationFlow(), packet.protocol());
    boolean syn = Control.flags(packet) == ControlFlags.SYN;
    if (!syn && !List.of(TICKET).equals(way.tickets())) {
      return;
    }
    if (syn) {
      assertEquals(SHOP, Service.get(packet));
      plain += way.tickets() == null ? 1 : 0;
      asked += way.tickets() == null ? 0 : 1;
      Long ticket = gives && way.hasAllTickets() ? TICKET : null;
      assertTrue(Forwarding.writeHops(writer, packet, from, ROUTER, ticket));
    } else {
      returned++;
      assertEquals(List.of(AT_ROUTER, ROUTER, SERVER), way.hops());
      assertTrue(Forwarding.writeAnswer(writer, packet, SERVER));
    }
    int length = packet.end() - packet.transport();
    out.put(writer.end(), packet.buffer(), packet.transport(), length);
    net.send(out.limit(writer.end() + length), ROUTER, syn ? SERVER : AT_ROUTER);
  }

  private void later(long milliseconds) {
    net.run(net.now() + milliseconds);
  }

  private void echoes(DatagramFlow flow) {
    assertTrue(flow.isOpen());
    assertEquals(SERVER, flow.peer());
    flow.send(Program.bytes("name?"));
    later(100);
    assertTrue(asker.heard.contains("name?"), asker.heard.toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSynAckComesByTheRouter(boolean known) {
    serve(knowing(known));
    DatagramFlow flow = client.connect(SHOP, asker);
    later(2_900);
    assertFalse(flow.isOpen());
    assertEquals(0, returned);
    later(1_000);
    echoes(flow);
    assertTrue(returned > 0);
    assertTrue(!known || filtered > 0);
    assertEquals(1, plain);
  }

  @Test
  void aRouterThatHasHelpedIsAskedAtOnce() {
    serve(knowing(true));
    client.connect(SHOP, asker);
    later(4_000);
    DatagramFlow second = client.connect(SHOP, asker);
    later(100);
    assertTrue(second.isOpen());
    assertEquals(1, plain);
    later(600_000);
    client.connect(SHOP, asker);
    later(100);
    assertEquals(2, plain);
  }

  @Test
  void anAnswerWithoutStateComesByTheRouter() {
    EndpointSettings all = knowing(true);
    HostLimits limits = new HostLimits(100, 0);
    serve(
        new EndpointSettings(
            all.routers(), all.longest(), all.abilities(), limits, all.rules(), all.streams()));
    DatagramFlow flow = client.connect(SHOP, asker);
    later(4_000);
    assertTrue(flow.isOpen());
    assertEquals(1, server.host().verdicts().of(HostVerdict.PROVEN));
  }

  @Test
  void withoutATicketNothingComesBack() {
    gives = false;
    serve(knowing(true));
    DatagramFlow flow = client.connect(SHOP, asker);
    later(60_000);
    assertFalse(flow.isOpen());
    assertEquals(0, returned);
    assertTrue(filtered > 3);
  }

  @Test
  void aClientWithoutAbilitiesAsksForNothing() {
    EndpointSettings all = knowing(true);
    begin(
        new EndpointSettings(
            all.routers(), all.longest(), 0, all.flows(), all.rules(), all.streams()));
    serve(all);
    client.connect(SHOP, asker);
    later(60_000);
    assertTrue(plain > 3);
    assertEquals(0, asked);
  }
}
