// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.host.Arrival;
import org.netserv.serval.host.FlowTable;
import org.netserv.serval.host.HostVerdict;

/** The packets that come to an endpoint: gives each to its flow or binding, or counts a refusal. */
final class Arrivals {
  private final ServalEndpoint endpoint;
  private final FlowTable table;
  private final Directory directory;
  private final Streams streams;
  private final SalPacket packet = new SalPacket();
  private final Arrival arrival = new Arrival(packet);
  private final Counts<ServalError> faults = new Counts<>("packet", ServalError.class);
  private NamedFlow opening; // of the SYN or ACK that the flow table has now

  Arrivals(ServalEndpoint endpoint, FlowTable table, Directory directory, Streams streams) {
    this.endpoint = endpoint;
    this.table = table;
    this.directory = directory;
    this.streams = streams;
  }

  /** Takes a packet. See {@link ServalEndpoint#receive}. */
  void take(ByteBuffer bytes, Endpoint from, Endpoint local) {
    if (faults.count(packet.reset(bytes, bytes.position(), bytes.limit())) == ServalError.OK) {
      take(arrival.set(asker(from), local, local, endpoint.now()));
    }
  }

  /** Tells whether the packet is of a stream, and not of datagrams. */
  boolean isOfStream() {
    return packet.protocol() == SalPacket.TCP;
  }

  /**
   * Returns the sender, or the client of a request that comes from the socket of a router of this
   * endpoint, whatever address the router has in the list. From others a list could name somebody
   * who has sent nothing. Requests alone have no flow of the receiver.
   */
  private Endpoint asker(Endpoint sender) {
    boolean trusted = packet.destinationFlow() == 0 && directory.isRouter(sender);
    return trusted ? Way.get(packet).first(sender) : sender;
  }

  private void take(Arrival arrived) {
    EndpointVerdict refusal = transport();
    if (refusal != null) {
      verdicts().count(refusal);
      return;
    }
    HostVerdict verdict = table.take(arrived);
    switch (verdict) {
      case DATA -> data(endpoint.named(table.flow()));
      case DATAGRAM -> datagram(directory.of(table.socket()));
      case REQUEST, PROVEN -> opened(arrived, verdict == HostVerdict.PROVEN);
      case CONTROL -> acknowledged(endpoint.named(table.flow()));
      default -> {}
    }
  }

  /** Checks the transport of a packet before SAL takes it. Returns the refusal, or null. */
  private EndpointVerdict transport() {
    Flow flow = table.find(packet.destinationFlow());
    NamedFlow named = flow == null ? null : endpoint.named(flow);
    return switch (packet.protocol()) {
      case SalPacket.TCP -> streams.check(packet, named);
      case SalPacket.UDP -> named instanceof ServalStream ? EndpointVerdict.PROTOCOL : null;
      default -> EndpointVerdict.PROTOCOL;
    };
  }

  private void data(NamedFlow flow) {
    if (flow instanceof ServalStream stream) {
      streams.take(stream);
    } else {
      data((DatagramFlow) flow);
    }
  }

  private void data(DatagramFlow flow) {
    EndpointVerdict verdict = UdpHeader.check(packet);
    boolean late = flow == null || !flow.isOpen();
    if (verdict == EndpointVerdict.DELIVERED && late) {
      verdict = EndpointVerdict.LATE;
    }
    if (verdicts().count(verdict) == EndpointVerdict.DELIVERED) {
      flow.received(payload());
    }
  }

  private void datagram(Binding binding) {
    EndpointVerdict verdict = UdpHeader.check(packet);
    if (verdict == EndpointVerdict.DELIVERED && binding == null) {
      verdict = EndpointVerdict.LATE;
    }
    if (verdict != EndpointVerdict.DELIVERED) {
      verdicts().count(verdict);
      return;
    }
    ServiceId from = Service.getSource(packet);
    if (directory.isAnswer(binding, arrival.source(), from, payload(), endpoint.now())) {
      verdicts().count(EndpointVerdict.REGISTRATION);
      return;
    }
    verdicts().count(EndpointVerdict.DELIVERED);
    binding.received(new Datagram(binding, from, arrival.source(), payload()));
  }

  private ByteBuffer payload() {
    ByteBuffer bytes = packet.buffer();
    return bytes.limit(packet.end()).position(packet.transport() + UdpHeader.LENGTH);
  }

  /** Makes the surroundings of a flow that a client opens now, by the packet's transport. */
  FlowPort opening(Binding binding) {
    if (packet.protocol() == SalPacket.TCP) {
      ServalStream stream = new ServalStream(streams, binding.id(), null);
      opening = stream;
      return streams.open(stream, binding, endpoint.initial());
    }
    DatagramFlow flow = endpoint.datagramFlow(binding.id(), null);
    opening = flow;
    return new FlowEvents(endpoint, flow, binding);
  }

  private void opened(Arrival arrived, boolean proven) {
    endpoint.begin(opening, table.flow());
    if (!arrived.local().equals(endpoint.own())) {
      table.move(
          table.flow(),
          endpoint.own(),
          endpoint.now()); // it came to an address that the endpoint has left
    }
    if (proven && opening instanceof ServalStream stream) {
      if (Streams.isProven(stream)) {
        streams.take(stream);
      } else {
        verdicts().count(EndpointVerdict.HANDSHAKE);
        endpoint.abortFlow(stream);
      }
    }
  }

  /** Gives a stream the acknowledgement of its SYN-ACK, which has the window. */
  private void acknowledged(NamedFlow flow) {
    if (flow instanceof ServalStream stream && Streams.isThird(packet)) {
      streams.take(stream);
    }
  }

  Counts<ServalError> faults() {
    return faults;
  }

  private Counts<EndpointVerdict> verdicts() {
    return endpoint.verdicts();
  }
}
