// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
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
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Resolution;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Scope;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/**
 * The services and flows of one program, without I/O. Packets and time come in by {@link #receive}
 * and {@link #due}, and packets go out by a {@link Wire}.
 *
 * <p>An endpoint, its bindings and its flows belong to one thread. Handlers are called on that
 * thread, in {@link #receive}, {@link #due} or a call of the program, and may call the endpoint. An
 * exception of a handler leaves that method. The events behind it are told by the next one.
 */
public final class ServalEndpoint {
  private static final Origin PROGRAM = new Origin(Origin.Kind.PROCESS, "endpoint");
  private static final Origin OPERATOR = new Origin(Origin.Kind.OPERATOR, "router");

  private final EndpointSettings settings;
  private final RandomGenerator random;
  private final LongSupplier clock;
  private final Output output;
  private final ServiceTable services;
  private final FlowTable table;
  private final SalPacket packet = new SalPacket();
  private final Arrival arrival = new Arrival(packet);
  private final Map<Long, Binding> bindings = new HashMap<>();
  private final List<Registrar> registrars = new ArrayList<>();
  private final Map<Flow, DatagramFlow> flows = new HashMap<>();
  private final Queue<Runnable> events = new ArrayDeque<>();
  private final Counts<ServalError> faults = new Counts<>("packet", ServalError.class);
  private final Counts<EndpointVerdict> verdicts = new Counts<>("endpoint", EndpointVerdict.class);
  private final int datagramFlow;
  private Endpoint own;
  private DatagramFlow opening; // of the SYN or ACK that the flow table has now
  private long sockets;
  private int depth;

  /**
   * Makes an endpoint without services.
   *
   * @param wire sends the packets; no method of it calls the endpoint
   * @param own local address and port of the wire
   * @param random cannot be guessed
   * @param clock milliseconds from any zero
   * @throws IllegalArgumentException if the router has the address of the endpoint
   */
  public ServalEndpoint(
      EndpointSettings settings,
      Wire wire,
      Endpoint own,
      RandomGenerator random,
      LongSupplier clock) {
    this.settings = settings;
    this.own = own;
    this.random = random;
    this.clock = clock;
    output = new Output(wire, settings.longest());
    services = new ServiceTable(settings.rules(), address -> address.equals(this.own));
    table = new FlowTable(services, settings.flows(), random, settings.abilities(), this::control);
    datagramFlow = 1 + random.nextInt(Integer.MAX_VALUE);
    if (settings.router() != null) {
      Target target = Target.address(settings.router().address());
      TableRefusal refusal = services.add(router(target), now());
      if (refusal != TableRefusal.OK) {
        throw new IllegalArgumentException("the router: " + refusal.text());
      }
    }
  }

  private static Rule router(Target target) {
    return rule(ServicePrefix.DEFAULT, RuleAction.FORWARD, target, OPERATOR);
  }

  private static Rule rule(ServicePrefix prefix, RuleAction action, Target target, Origin origin) {
    return new Rule(prefix, action, target, Rank.ZERO, 0, origin, Rule.FOREVER);
  }

  private long now() {
    return clock.getAsLong();
  }

  // ---- calls of the program

  /**
   * Offers a service, and registers it with the router if there is one. The service is there at
   * once for those that know the address, and for all others when the router has got the message.
   * Several bindings of one prefix share its flows and datagrams.
   *
   * @throws IllegalStateException if the service table is full
   */
  public Binding bind(ServicePrefix prefix, ServiceHandler handler) {
    return bind(prefix, handler, settings.router() != null);
  }

  /**
   * Offers a service to those that know the address of this endpoint.
   *
   * @throws IllegalStateException if the service table is full
   */
  public Binding bindLocally(ServicePrefix prefix, ServiceHandler handler) {
    return bind(prefix, handler, false);
  }

  private Binding bind(ServicePrefix prefix, ServiceHandler handler, boolean registers) {
    Rule rule = rule(prefix, RuleAction.DEMUX, Target.socket(++sockets), PROGRAM);
    TableRefusal refusal = services.add(rule, now());
    if (refusal != TableRefusal.OK) {
      throw new IllegalStateException(prefix + ": " + refusal.text());
    }
    Registrar registrar =
        registers ? new Registrar(prefix, message -> register(prefix, message)) : null;
    Binding binding = new Binding(this, rule, handler, registrar);
    bindings.put(binding.socket(), binding);
    table.listen(binding.socket(), binding.listener());
    if (registers) {
      registrars.add(registrar);
      registrar.due(now());
    }
    return binding;
  }

  private void register(ServicePrefix prefix, ByteBuffer message) {
    Router router = settings.router();
    datagram(prefix.id(), router.id(), router.address(), message);
  }

  void unbind(Binding binding) {
    if (bindings.remove(binding.socket()) == null) {
      return;
    }
    services.withdraw(binding.rule());
    table.unlisten(binding.socket());
    if (binding.registrar() != null) {
      binding.registrar().withdraw(now());
    }
  }

  boolean isBound(Binding binding) {
    return bindings.get(binding.socket()) == binding;
  }

  /**
   * Connects to an instance of a service. The handler hears whether it succeeds. Without an answer
   * that takes 15 tries, which are 21 minutes. A program that waits less closes the flow.
   *
   * @throws IllegalStateException if there are as many flows as there may be
   */
  public DatagramFlow connect(ServiceId target, FlowHandler handler) {
    enter();
    try {
      DatagramFlow made = new DatagramFlow(this, target, handler);
      Flow flow = table.connect(target, own, new FlowEvents(this, made, null), now());
      if (flow == null) {
        throw new IllegalStateException("the endpoint has as many flows as it may");
      }
      begin(made, flow);
      return made;
    } finally {
      leave();
    }
  }

  private void begin(DatagramFlow made, Flow flow) {
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
      registrars.forEach(registrar -> registrar.moved(old, now));
      for (DatagramFlow flow : List.copyOf(flows.values())) {
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
      List.copyOf(bindings.values()).forEach(this::unbind);
      for (DatagramFlow flow : List.copyOf(flows.values())) {
        table.abort(flow.flow(), now());
        flow.closed(FlowEnd.OWN);
      }
    } finally {
      leave();
    }
  }

  // ---- sending

  boolean send(DatagramFlow flow, ByteBuffer payload) {
    EndpointVerdict refusal = flow.isOpen() ? check(payload) : EndpointVerdict.NOT_OPEN;
    if (refusal != EndpointVerdict.SENT) {
      verdicts.count(refusal);
      return false;
    }
    return sent(output.data(flow.flow(), payload));
  }

  /** Sends an unconnected datagram, by the service table if there is no address. */
  boolean send(ServiceId source, ServiceId target, Endpoint to, ByteBuffer payload) {
    EndpointVerdict refusal = check(payload);
    if (refusal != EndpointVerdict.SENT) {
      verdicts.count(refusal);
      return false;
    }
    return datagram(source, target, to == null ? resolve(target) : to, payload);
  }

  private EndpointVerdict check(ByteBuffer payload) {
    if (!payload.hasRemaining()) {
      return EndpointVerdict.EMPTY;
    }
    return payload.remaining() > settings.longest()
        ? EndpointVerdict.TOO_LONG
        : EndpointVerdict.SENT;
  }

  private boolean datagram(ServiceId source, ServiceId target, Endpoint to, ByteBuffer payload) {
    return to != null && sent(output.datagram(datagramFlow, source, target, payload, own, to));
  }

  /** Sends a message of a flow. Each SYN is resolved anew. */
  void control(Outgoing message) {
    Endpoint to = message.to() == null ? resolve(message.service()) : message.to();
    if (to != null) {
      sent(output.control(message, to));
    }
  }

  private boolean sent(boolean taken) {
    verdicts.count(taken ? EndpointVerdict.SENT : EndpointVerdict.NOT_SENT);
    return taken;
  }

  /** Returns the address of an instance or of the next router, null if there is none. */
  private Endpoint resolve(ServiceId target) {
    Resolution resolution = services.draw(target, Scope.ALL, now(), random);
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
        take(arrival.set(asker(from), local, local, now()));
      }
    } finally {
      leave();
    }
  }

  /**
   * Returns the sender, or the client of a request that comes from the socket of this endpoint's
   * router. From others a list could name somebody who has sent nothing. Requests alone have no
   * flow of the receiver.
   */
  private Endpoint asker(Endpoint sender) {
    Router router = settings.router();
    boolean trusted = router != null && router.address().isSocketOf(sender);
    return trusted && packet.destinationFlow() == 0 ? Way.get(packet).client(sender) : sender;
  }

  private void take(Arrival arrived) {
    if (packet.protocol() != SalPacket.UDP) {
      verdicts.count(EndpointVerdict.PROTOCOL);
      return;
    }
    HostVerdict verdict = table.take(arrived);
    if (verdict == HostVerdict.DATA) {
      data(flows.get(table.flow()));
    } else if (verdict == HostVerdict.DATAGRAM) {
      datagram(bindings.get(table.socket()));
    } else if (verdict == HostVerdict.REQUEST || verdict == HostVerdict.PROVEN) {
      begin(opening, table.flow());
      if (!arrived.local().equals(own)) {
        table.move(table.flow(), own, now()); // it came to an address that the endpoint has left
      }
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
    if (verdicts.count(verdict) == EndpointVerdict.DELIVERED) {
      binding.received(
          new Datagram(binding, Service.getSource(packet), arrival.source(), payload()));
    }
  }

  private ByteBuffer payload() {
    ByteBuffer bytes = packet.buffer();
    return bytes.limit(packet.end()).position(packet.transport() + UdpHeader.LENGTH);
  }

  /** Makes the surroundings of a flow that a client opens now. */
  FlowPort opening(Binding binding) {
    opening = new DatagramFlow(this, binding.id(), null);
    return new FlowEvents(this, opening, binding);
  }

  /** Does what is due. */
  public void due() {
    enter();
    try {
      long now = now();
      table.due(now);
      registrars.forEach(registrar -> registrar.due(now));
      registrars.removeIf(Registrar::isOver);
    } finally {
      leave();
    }
  }

  /**
   * Returns the time of the clock at which something is due, {@code Long.MAX_VALUE} if nothing is.
   */
  public long dueAt() {
    long dueAt = table.dueAt();
    for (Registrar registrar : registrars) {
      dueAt = Math.min(dueAt, registrar.dueAt());
    }
    return dueAt;
  }

  // ---- events of flows

  private void enter() {
    depth++;
  }

  /** Gives the program its events at the end of the outermost call. */
  private void leave() {
    try {
      while (depth == 1 && !events.isEmpty()) {
        events.remove().run();
      }
    } finally {
      depth--;
    }
  }

  /** Keeps an event until the flow table has done its work. */
  void later(Runnable event) {
    events.add(event);
  }

  /** Closes a flow for the program of this end. */
  void close(DatagramFlow flow) {
    end(flow, FlowEnd.OWN);
  }

  /** Tells the program of an end, and closes this end of the flow. */
  void end(DatagramFlow flow, FlowEnd reason) {
    enter();
    try {
      flow.closed(reason);
      table.close(flow.flow(), now());
    } finally {
      leave();
    }
  }

  /** Breaks off a flow that the program does not accept. */
  void refuse(DatagramFlow flow) {
    verdicts.count(EndpointVerdict.NOT_ACCEPTED);
    flow.closed(FlowEnd.OWN);
    table.abort(flow.flow(), now());
  }

  void forget(DatagramFlow flow) {
    flows.remove(flow.flow());
    flow.closed(FlowEnd.SILENT);
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

  /** Returns the number of flows, with those that have closed and wait. */
  public int size() {
    return flows.size();
  }

  /** Returns the local address. */
  public Endpoint own() {
    return own;
  }
}
