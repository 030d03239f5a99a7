// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.stream.OutgoingSegment;
import org.netserv.serval.table.Resolution;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Scope;
import org.netserv.serval.table.ServiceTable;

/** The packets that an endpoint sends: resolves their receivers, and counts each one. */
final class Departures {
  /** Hears where SYNs go. */
  interface Asked {
    /** Tells whether the SYN of a flow asks for its answer by the routers. */
    boolean by(Endpoint target, int flowId);
  }

  private final int longest;
  private final Output output;
  private final ServiceTable services;
  private final RandomGenerator random;
  private final LongSupplier clock;
  private final Counts<EndpointVerdict> verdicts;
  private final Asked asked;
  private final int datagramFlow;

  Departures(
      EndpointSettings settings,
      Wire wire,
      ServiceTable services,
      RandomGenerator random,
      LongSupplier clock,
      Counts<EndpointVerdict> verdicts,
      Asked asked) {
    this.asked = asked;
    longest = settings.longest();
    output = new Output(wire, Math.max(longest, settings.streams().mss()));
    this.services = services;
    this.random = random;
    this.clock = clock;
    this.verdicts = verdicts;
    datagramFlow = 1 + random.nextInt(Integer.MAX_VALUE);
  }

  boolean send(DatagramFlow flow, ByteBuffer payload) {
    EndpointVerdict refusal = flow.isOpen() ? check(payload) : EndpointVerdict.NOT_OPEN;
    if (refusal != EndpointVerdict.SENT) {
      verdicts.count(refusal);
      return false;
    }
    return sent(output.data(flow.flow(), payload));
  }

  void send(ServalStream stream, OutgoingSegment segment) {
    sent(output.segment(stream.flow(), segment));
  }

  /** Sends an unconnected datagram, by the service table if there is no address. */
  boolean send(Endpoint own, ServiceId source, ServiceId target, Endpoint to, ByteBuffer payload) {
    EndpointVerdict refusal = check(payload);
    if (refusal != EndpointVerdict.SENT) {
      verdicts.count(refusal);
      return false;
    }
    return datagram(own, source, target, to == null ? resolve(target, own) : to, payload);
  }

  private EndpointVerdict check(ByteBuffer payload) {
    if (!payload.hasRemaining()) {
      return EndpointVerdict.EMPTY;
    }
    return payload.remaining() > longest ? EndpointVerdict.TOO_LONG : EndpointVerdict.SENT;
  }

  boolean datagram(
      Endpoint own, ServiceId source, ServiceId target, Endpoint to, ByteBuffer payload) {
    return to != null && sent(output.datagram(datagramFlow, source, target, payload, own, to));
  }

  /** Sends a message of a flow of datagrams. */
  void control(Outgoing message, Endpoint own) {
    Endpoint to = receiver(message, own);
    if (to != null) {
      sent(output.control(asking(message, to), to));
    }
  }

  /** Sends a message of a stream, with the segment of a handshake or without one. */
  void control(Outgoing message, Endpoint own, OutgoingSegment segment) {
    Endpoint to = receiver(message, own);
    if (to != null) {
      sent(output.control(asking(message, to), to, segment));
    }
  }

  /** Has a SYN ask for its answer by the routers, if it is its turn. */
  private Outgoing asking(Outgoing message, Endpoint to) {
    boolean syn = message.to() == null;
    return syn && asked.by(to, message.message().sourceFlow()) ? message.asking() : message;
  }

  private boolean sent(boolean taken) {
    verdicts.count(taken ? EndpointVerdict.SENT : EndpointVerdict.NOT_SENT);
    return taken;
  }

  /** Returns the address to which a message goes. Each SYN is resolved anew. */
  private Endpoint receiver(Outgoing message, Endpoint own) {
    if (message.to() != null) {
      return message.to();
    }
    return resolve(message.service(), own);
  }

  /** Returns the address of an instance or of the next router, null if there is none. */
  private Endpoint resolve(ServiceId target, Endpoint own) {
    Resolution resolution = services.draw(target, Scope.ALL, clock.getAsLong(), random);
    RuleAction action = resolution.isEmpty() ? RuleAction.DROP : resolution.rule().action();
    return switch (action) {
      case FORWARD -> resolution.rule().target().address();
      case DEMUX -> own;
      case DELAY, DROP -> {
        verdicts.count(EndpointVerdict.NO_RULE);
        yield null;
      }
    };
  }
}
