// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.host.Arrival;
import org.netserv.serval.host.FlowTable;
import org.netserv.serval.host.HostVerdict;
import org.netserv.serval.stream.OutgoingSegment;
import org.netserv.serval.stream.SegmentFault;
import org.netserv.serval.stream.StreamVerdict;
import org.netserv.serval.table.ServiceTable;

/**
 * The services and flows of one program, without I/O. Packets and time come in by {@link #receive}
 * and {@link #due}, and packets go out by a {@link Wire}.
 *
 * <p>An endpoint, its bindings and its flows belong to one thread. Handlers are called on that
 * thread, in {@link #receive}, {@link #due} or a call of the program, and may call the endpoint. An
 * exception of a handler leaves that method. The events behind it are told by the next one.
 */
public final class ServalEndpoint {
  private final RandomGenerator random;
  private final LongSupplier clock;
  private final Departures departures;
  private final ServiceTable services;
  private final FlowTable table;
  private final Directory directory;
  private final Streams streams;
  private final SalPacket packet = new SalPacket();
  private final Arrival arrival = new Arrival(packet);
  private final Map<Flow, NamedFlow> flows = new HashMap<>();
  private final EventQueue events = new EventQueue();
  private final Counts<ServalError> faults = new Counts<>("packet", ServalError.class);
  private final Counts<EndpointVerdict> verdicts = new Counts<>("endpoint", EndpointVerdict.class);
  private final DatagramFlow.Port datagrams =
      new DatagramFlow.Port() {
        @Override
        public boolean send(DatagramFlow flow, ByteBuffer payload) {
          return departures.send(flow, payload);
        }

        @Override
        public void close(DatagramFlow flow) {
          end(flow, FlowEnd.OWN);
        }
      };
  private Endpoint own;
  private NamedFlow opening; // of the SYN or ACK that the flow table has now

  /**
   * Makes an endpoint without services.
   *
   * @param wire sends the packets; no method of it calls the endpoint
   * @param own local address and port of the wire
   * @param random cannot be guessed
   * @param clock milliseconds from any zero
   * @throws IllegalArgumentException if a router has the address of the endpoint
   */
  public ServalEndpoint(
      EndpointSettings settings,
      Wire wire,
      Endpoint own,
      RandomGenerator random,
      LongSupplier clock) {
    this.own = own;
    this.random = random;
    this.clock = clock;
    services = new ServiceTable(settings.rules(), address -> address.equals(this.own));
    table = new FlowTable(services, settings.flows(), random, settings.abilities(), this::reply);
    directory = new Directory(services, settings.routers(), random, this::register);
    streams = new Streams(this, settings.streams());
    departures =
        new Departures(
            settings,
            wire,
            services,
            random,
            clock,
            verdicts,
            (target, flowId) -> table.asked(flowId, target, now()));
    directory.route(now());
  }

  long now() {
    return clock.getAsLong();
  }

  // ---- calls of the program

  /**
   * Offers a service, and registers it with each router. The service is there at once for clients
   * that know the address, and for all others when a router has got the message. Several bindings
   * of one prefix share its flows and datagrams.
   *
   * @throws IllegalStateException if the service table is full
   */
  public Binding bind(ServicePrefix prefix, ServiceHandler handler) {
    return bind(prefix, handler, true);
  }

  /**
   * Offers a service to clients that know the address of this endpoint.
   *
   * @throws IllegalStateException if the service table is full
   */
  public Binding bindLocally(ServicePrefix prefix, ServiceHandler handler) {
    return bind(prefix, handler, false);
  }

  private Binding bind(ServicePrefix prefix, ServiceHandler handler, boolean registers) {
    Binding binding = directory.bind(this, prefix, handler, registers, now());
    table.listen(binding.socket(), binding.listener());
    return binding;
  }

  private void register(ServicePrefix prefix, Router router, ByteBuffer message) {
    departures.datagram(own, prefix.id(), router.id(), router.address(), message);
  }

  void unbind(Binding binding) {
    if (directory.unbind(binding, now())) {
      table.unlisten(binding.socket());
    }
  }

  boolean isBound(Binding binding) {
    return directory.of(binding.socket()) == binding;
  }

  /**
   * Connects to an instance of a service. The handler hears whether it succeeds. Without an answer
   * that takes 15 tries, which are 21 minutes. A program that waits less closes the flow.
   *
   * @throws IllegalStateException if there are as many flows as there may be
   */
  public DatagramFlow connect(ServiceId target, FlowHandler handler) {
    DatagramFlow made = new DatagramFlow(datagrams, target, handler);
    connect(target, made, new FlowEvents(this, made, null));
    return made;
  }

  /**
   * Connects a stream to an instance of a service, as {@link #connect} does for datagrams.
   *
   * @throws IllegalStateException if there are as many flows as there may be
   */
  public ServalStream connectStream(ServiceId target, StreamHandler handler) {
    ServalStream made = new ServalStream(streams, target, handler);
    connect(target, made, streams.connect(made, random.nextInt()));
    return made;
  }

  private void connect(ServiceId target, NamedFlow made, FlowPort port) {
    enter();
    try {
      Flow flow = table.connect(target, own, port, now());
      if (flow == null) {
        throw new IllegalStateException("the endpoint has as many flows as it may");
      }
      begin(made, flow);
    } finally {
      leave();
    }
  }

  private void begin(NamedFlow made, Flow flow) {
    made.begin(flow);
    flows.put(flow, made);
  }

  /**
   * Moves all flows and services to another local address, from which the wire can send now. {@link
   * #uses} tells how long the wire needs the old one.
   */
  public void move(Endpoint address) {
    enter();
    try {
      Endpoint old = own;
      own = address;
      long now = now();
      directory.moved(old, now);
      for (NamedFlow flow : List.copyOf(flows.values())) {
        table.move(flow.flow(), address, now);
      }
    } finally {
      leave();
    }
  }

  /**
   * Tells whether a local address is still needed: it is the present one, data of a flow leave from
   * it, or a peer may have noted it in a move that is not over.
   */
  public boolean uses(Endpoint address) {
    return address.equals(own) || flows.keySet().stream().anyMatch(flow -> flow.uses(address));
  }

  /**
   * Withdraws all services, and breaks off the flows that are not closed. Withdrawals are repeated
   * by {@link #due}, so that one may get lost.
   */
  public void close() {
    enter();
    try {
      directory.all().forEach(this::unbind);
      for (NamedFlow flow : List.copyOf(flows.values())) {
        table.abort(flow.flow(), now());
        flow.closed(FlowEnd.OWN);
      }
    } finally {
      leave();
    }
  }

  // ---- packets on their way out

  void send(ServalStream stream, OutgoingSegment segment) {
    departures.send(stream, segment);
  }

  boolean send(ServiceId source, ServiceId target, Endpoint to, ByteBuffer payload) {
    return departures.send(own, source, target, to, payload);
  }

  /** Sends a message of a flow of datagrams. */
  void control(Outgoing message) {
    departures.control(message, own);
  }

  /** Sends a message of a stream, with the segment of a handshake or without one. */
  void control(Outgoing message, OutgoingSegment segment) {
    departures.control(message, own, segment);
  }

  /** Sends a message to the sender of the packet, for which there is no flow. */
  private void reply(Outgoing message) {
    if (packet.protocol() == SalPacket.TCP) {
      control(message, null);
    } else {
      control(message);
    }
  }

  /** Answers a SYN without keeping state for it. */
  void answer(Outgoing synAck) {
    if (packet.protocol() == SalPacket.TCP) {
      control(synAck, streams.answer(synAck));
    } else {
      control(synAck);
    }
  }

  // ---- receiving

  /**
   * Takes a packet. One that is refused is counted, and never throws.
   *
   * @param bytes big-endian, from its position to its limit, which change
   * @param from address and port of the sender
   * @param local the local address to which the packet came
   */
  public void receive(ByteBuffer bytes, Endpoint from, Endpoint local) {
    enter();
    try {
      if (faults.count(packet.reset(bytes, bytes.position(), bytes.limit())) == ServalError.OK) {
        take(arrival.set(asker(from), local, local, now()).by(from));
      }
    } finally {
      leave();
    }
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
      verdicts.count(refusal);
      return;
    }
    HostVerdict verdict = table.take(arrived);
    switch (verdict) {
      case DATA -> data(flows.get(table.flow()));
      case DATAGRAM -> datagram(directory.of(table.socket()));
      case REQUEST, PROVEN -> opened(arrived, verdict == HostVerdict.PROVEN);
      case CONTROL -> acknowledged(flows.get(table.flow()));
      default -> {}
    }
  }

  /** Checks the transport of a packet before SAL takes it. Returns the refusal, or null. */
  private EndpointVerdict transport() {
    Flow flow = table.find(packet.destinationFlow());
    NamedFlow named = flow == null ? null : flows.get(flow);
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
    if (verdicts.count(verdict) == EndpointVerdict.DELIVERED) {
      flow.received(payload());
    }
  }

  private void datagram(Binding binding) {
    EndpointVerdict verdict = UdpHeader.check(packet);
    if (verdict == EndpointVerdict.DELIVERED && binding == null) {
      verdict = EndpointVerdict.LATE;
    }
    if (verdict != EndpointVerdict.DELIVERED) {
      verdicts.count(verdict);
      return;
    }
    ServiceId from = Service.getSource(packet);
    if (directory.isAnswer(binding, arrival.source(), from, payload(), now())) {
      verdicts.count(EndpointVerdict.REGISTRATION);
      return;
    }
    verdicts.count(EndpointVerdict.DELIVERED);
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
      return streams.open(stream, binding, random.nextInt());
    }
    DatagramFlow flow = new DatagramFlow(datagrams, binding.id(), null);
    opening = flow;
    return new FlowEvents(this, flow, binding);
  }

  private void opened(Arrival arrived, boolean proven) {
    begin(opening, table.flow());
    if (!arrived.local().equals(own)) {
      table.move(table.flow(), own, now()); // it came to an address that the endpoint has left
    }
    if (proven && opening instanceof ServalStream stream) {
      if (Streams.isProven(stream)) {
        streams.take(stream);
      } else {
        verdicts.count(EndpointVerdict.HANDSHAKE);
        abortFlow(stream);
      }
    }
  }

  /** Gives a stream the acknowledgement of its SYN-ACK, which has the window. */
  private void acknowledged(NamedFlow flow) {
    if (flow instanceof ServalStream stream && Streams.isThird(packet)) {
      streams.take(stream);
    }
  }

  /** Does all that is due. */
  public void due() {
    enter();
    try {
      long now = now();
      table.due(now);
      directory.due(now);
      streams.due(now);
    } finally {
      leave();
    }
  }

  /**
   * Returns the time of the clock at which something is due, {@code Long.MAX_VALUE} if nothing is.
   * Each call of a program and each packet may bring it forward.
   */
  public long dueAt() {
    return Math.min(streams.dueAt(), Math.min(table.dueAt(), directory.dueAt()));
  }

  // ---- events of flows

  void enter() {
    events.enter();
  }

  void leave() {
    events.leave();
  }

  /** Keeps an event until the flow table has done its work. */
  void later(Runnable event) {
    events.later(event);
  }

  /** Tells the program of an end, and closes this end of a flow of datagrams. */
  void end(DatagramFlow flow, FlowEnd reason) {
    enter();
    try {
      flow.closed(reason);
      closeFlow(flow);
    } finally {
      leave();
    }
  }

  void closeFlow(NamedFlow flow) {
    table.close(flow.flow(), now());
  }

  void abortFlow(NamedFlow flow) {
    table.abort(flow.flow(), now());
  }

  /** Breaks off a flow that the program does not accept. */
  void refuse(NamedFlow flow) {
    verdicts.count(EndpointVerdict.NOT_ACCEPTED);
    flow.closed(FlowEnd.OWN);
    abortFlow(flow);
  }

  void forget(NamedFlow flow) {
    flows.remove(flow.flow());
    flow.forgotten();
  }

  // ---- views

  /** Returns the service table, for rules that lead to instances or routers. */
  public ServiceTable services() {
    return services;
  }

  /** Returns the flow table with its counters. */
  public FlowTable host() {
    return table;
  }

  /** Returns the counters of faulty packets. */
  public Counts<ServalError> faults() {
    return faults;
  }

  /** Returns the counters of datagrams. */
  public Counts<EndpointVerdict> verdicts() {
    return verdicts;
  }

  /** Returns the counters of faulty segments. */
  public Counts<SegmentFault> segmentFaults() {
    return streams.faults();
  }

  /** Returns the counters of segments. */
  public Counts<StreamVerdict> streamVerdicts() {
    return streams.verdicts();
  }

  Streams streams() {
    return streams;
  }

  /** Returns the number of flows, with those that have closed and wait. */
  public int size() {
    return flows.size();
  }

  /** Returns the local address. */
  public Endpoint own() {
    return own;
  }
}
