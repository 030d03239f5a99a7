// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.Extensions;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Way;
import org.netserv.serval.table.Forwarding;

/**
 * Takes the SYN-ACKs of instances back to clients that have asked for that, because a NAT keeps
 * direct ones from them. Each goes to the hop from which its SYN came, as the ticket in it proves.
 */
final class Answers {
  /** Bytes of the longest header of TCP. A SYN-ACK has no payload. */
  private static final int TRANSPORT_MOST = 60;

  private final Plan plan;
  private final Output output;
  private final Tickets tickets;

  Answers(Plan plan, Output output, RandomGenerator random) {
    this.plan = plan;
    this.output = output;
    tickets = new Tickets(random);
  }

  /** Tells whether a packet is a SYN-ACK that routers shall take back. */
  static boolean isAnswer(SalPacket packet) {
    return Control.flags(packet) == (ControlFlags.SYN | ControlFlags.ACK)
        && packet.destinationFlow() != 0
        && packet.has(ExtensionType.TICKETS);
  }

  /**
   * Returns this router's ticket for a SYN that asks for one, else null.
   *
   * @param client as this router sees it
   */
  Long ticket(SalPacket packet, Endpoint client, Endpoint target, long now) {
    Way way = Way.get(packet);
    if (!plan.returns() || !way.hasAllTickets()) {
      return null;
    }
    ControlMessage syn = Control.get(packet);
    if (syn == null) {
      return null;
    }
    Endpoint from = way.routers() == 0 ? client : way.last(0);
    return tickets.issue(new Tickets.Passage(from, target, syn.sourceFlow(), syn.verno()), now);
  }

  /** Takes a SYN-ACK back, or refuses it. */
  Outcome take(SalPacket packet, SalWriter writer, Received received, Endpoint hop, long now) {
    if (!plan.returns()) {
      return Outcome.ROUTER_FLOW;
    }
    Way way = Way.get(packet);
    int place = place(packet, way, hop);
    if (place == 0) {
      return Outcome.RETURN_TICKET;
    }
    List<Endpoint> hops = way.hops();
    Endpoint before = hops.get(place - 1);
    ControlMessage answer = Control.get(packet);
    Tickets.Passage passage =
        new Tickets.Passage(
            before, received.sender(), answer.destinationFlow(), answer.ackno() - 1);
    if (!tickets.isGood(way.tickets().get(place - 1), passage, now)) {
      return Outcome.RETURN_TICKET;
    }
    if (received.ttl() <= 1) {
      return Outcome.FORWARD_TTL;
    }
    boolean written = place == 1 ? toClient(packet, writer, hops) : toRouter(packet, writer);
    if (!written) {
      return Outcome.ROUTER_NO_ROOM;
    }
    int length = packet.end() - packet.transport();
    output.bytes().put(writer.end(), packet.buffer(), packet.transport(), length);
    output.send(
        writer.end() + length - output.start(), before, received.local(), received.ttl() - 1);
    return Outcome.RETURN_BACK;
  }

  /** Returns the place of this router in the list of a SYN-ACK, 0 if it is none for this router. */
  private static int place(SalPacket packet, Way way, Endpoint hop) {
    int routers = way.routers() - 1; // the instance is behind them
    boolean sound =
        way.tickets().size() == routers && packet.end() - packet.transport() <= TRANSPORT_MOST;
    return sound ? Math.max(0, way.hops().subList(0, routers + 1).lastIndexOf(hop)) : 0;
  }

  private boolean toClient(SalPacket packet, SalWriter writer, List<Endpoint> hops) {
    begin(packet, writer);
    return Forwarding.writeAnswer(writer, packet, hops.get(hops.size() - 1))
        && fits(packet, writer);
  }

  private boolean toRouter(SalPacket packet, SalWriter writer) {
    begin(packet, writer);
    Extensions.copyAll(writer, packet);
    return writer.finish().fits() && fits(packet, writer);
  }

  private void begin(SalPacket packet, SalWriter writer) {
    ByteBuffer out = output.bytes();
    writer.begin(
        out,
        output.start(),
        output.end(),
        packet.sourceFlow(),
        packet.destinationFlow(),
        packet.protocol());
  }

  private boolean fits(SalPacket packet, SalWriter writer) {
    return packet.end() - packet.transport() <= output.end() - writer.end();
  }
}
