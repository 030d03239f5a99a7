// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.netserv.serval.Ability;
import org.netserv.serval.Capability;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowIdentity;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.FlowRefusal;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.table.Resolution;
import org.netserv.serval.table.Scope;
import org.netserv.serval.table.ServiceTable;

/**
 * The flows and listeners of a host. It gives a SYN to the listener that the service table names,
 * and all else to the flow with the destination's flowID. Calls of a program go by this table, too,
 * so that it knows the time at which each flow is due.
 */
public final class FlowTable {
  /**
   * Milliseconds for which a router that has brought an answer is asked for the next one at once.
   */
  static final long RETURNING_MILLIS = 600_000;

  /** Such routers, at most. */
  private static final int RETURNING = 64;

  private static final int RST_LENGTH = SalPacket.HEADER + Control.LENGTH;

  private final ServiceTable services;
  private final HostLimits limits;
  private final RandomGenerator random;
  private final int abilities;
  private final Consumer<Outgoing> replies;
  private final Cookies cookies;
  private final FlowIndex flows = new FlowIndex();
  private final Map<HeldFlow.Client, HeldFlow> clients = new HashMap<>();
  private final TreeSet<HeldFlow> times = new TreeSet<>(HeldFlow.BY_TIME);
  private final Map<Long, Listener> listeners = new HashMap<>();
  private final Counts<HostVerdict> verdicts = new Counts<>("host", HostVerdict.class);
  private final Counts<FlowRefusal> refusals = new Counts<>("flow", FlowRefusal.class);
  private final Spent spent = new Spent();
  private final Map<Endpoint, Long> returning =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Endpoint, Long> eldest) {
          return size() > RETURNING;
        }
      };
  private long statelessUntil = Long.MIN_VALUE;
  private int requests;
  private Flow flow;
  private long socket;
  private FlowRefusal refusal = FlowRefusal.OK;

  /**
   * Makes an empty table.
   *
   * @param services its DEMUX rules name the sockets of listeners
   * @param random cannot be guessed: it gives flowIDs, nonces, vernos and the key of the answers
   *     without state
   * @param abilities {@link org.netserv.serval.Ability}, 0 to be as the published stack
   * @param replies sends the RSTs for packets that have no flow
   */
  public FlowTable(
      ServiceTable services,
      HostLimits limits,
      RandomGenerator random,
      int abilities,
      Consumer<Outgoing> replies) {
    this.services = services;
    this.limits = limits;
    this.random = random;
    this.abilities = abilities;
    this.replies = replies;
    byte[] key = new byte[32];
    random.nextBytes(key);
    cookies = new Cookies(key, abilities);
  }

  // ---- calls of programs

  /** Adds the listener of a socket, the number in DEMUX rules. */
  public void listen(long number, Listener listener) {
    listeners.put(number, listener);
  }

  /** Removes a listener. Its flows go on. */
  public void unlisten(long number) {
    listeners.remove(number);
  }

  /** Connects to a serviceID. Null if the host has as many flows as it may. */
  public Flow connect(ServiceId target, Endpoint own, FlowPort port, long now) {
    if (isFull()) {
      verdicts.count(HostVerdict.FLOWS_FULL);
      return null;
    }
    FlowIdentity identity = identity();
    HeldFlow held = new HeldFlow(identity.flowId(), null, port, this);
    held.flow(Flow.client(identity, own, target, held));
    flows.add(held);
    held.flow().connect(now);
    schedule(held);
    return held.flow();
  }

  /**
   * Notes where a SYN of a flow goes, because the list of a SYN-ACK from there counts.
   *
   * @return true if the SYN asks for its answer by the routers. Every second one does, and the
   *     first one if that router has brought an answer before
   */
  public boolean asked(int flowId, Endpoint target, long now) {
    HeldFlow held = flows.get(flowId);
    if (held == null) {
      return false;
    }
    boolean second = held.asked(target) % 2 == 0;
    boolean before = returning.getOrDefault(target, now) > now;
    return Ability.HOPS.in(abilities) && second != before;
  }

  public void close(Flow closed, long now) {
    closed.close(now);
    schedule(closed);
  }

  public void abort(Flow aborted, long now) {
    aborted.abort(now);
    schedule(aborted);
  }

  public void move(Flow moved, Endpoint address, long now) {
    moved.move(address, now);
    schedule(moved);
  }

  /** Does all that is due. */
  public void due(long now) {
    while (!times.isEmpty() && times.first().dueAt() <= now) {
      HeldFlow held = times.first();
      held.flow().due(now);
      schedule(held);
    }
    spent.expire(now);
  }

  /** Returns the time at which something is due, {@code Long.MAX_VALUE} if nothing is. */
  public long dueAt() {
    return times.isEmpty() ? Long.MAX_VALUE : times.first().dueAt();
  }

  // ---- packets

  /** Gives a packet to its flow or listener. */
  public HostVerdict take(Arrival arrival) {
    flow = null;
    socket = 0;
    refusal = FlowRefusal.OK;
    return verdicts.count(demultiplex(arrival));
  }

  private HostVerdict demultiplex(Arrival arrival) {
    if (arrival.source().isForMany()) {
      return HostVerdict.SENDER;
    }
    SalPacket packet = arrival.packet();
    ControlMessage message = Control.get(packet);
    if (message != null && message.flags() == ControlFlags.SYN) {
      return syn(arrival, message);
    }
    if (packet.destinationFlow() == 0 && message == null) {
      return datagram(arrival);
    }
    if (arrival.isForMany()) {
      return HostVerdict.GROUP;
    }
    HeldFlow held = flows.get(packet.destinationFlow());
    if (held != null) {
      return message == null ? data(packet, held) : control(held, arrival, message, Way.STRAIGHT);
    }
    return message == null ? stray(arrival) : unknown(arrival, message);
  }

  private HostVerdict syn(Arrival arrival, ControlMessage syn) {
    HeldFlow known = clients.get(HeldFlow.Client.of(syn, arrival.source()));
    Way way = Way.get(arrival.packet()).answeredTo(arrival.sender());
    if (known != null) {
      return control(known, arrival, syn, way);
    }
    ServiceId id = Service.get(arrival.packet());
    if (id == null || syn.sourceFlow() == 0 || syn.destinationFlow() != 0) {
      return id == null ? HostVerdict.NO_SERVICE : HostVerdict.WRONG_FLOW;
    }
    Listener listener = listener(id, arrival.time());
    if (listener == null) {
      return HostVerdict.NO_LISTENER;
    }
    if (way.isFull()) {
      return HostVerdict.TOO_MANY_HOPS;
    }
    if (isFull()) {
      return HostVerdict.FLOWS_FULL;
    }
    Opening opening = new Opening(arrival, syn, id, way);
    return requests < limits.requests() ? request(listener, opening) : answer(listener, opening);
  }

  private HostVerdict request(Listener listener, Opening syn) {
    FlowIdentity identity = identity();
    HeldFlow held = hold(listener, identity.flowId(), syn);
    if (held == null) {
      return HostVerdict.LISTENER_FULL;
    }
    held.request(true);
    requests++;
    flow = Flow.server(identity, syn.own(), syn.service(), held);
    held.flow(flow);
    took(held, flow.take(syn.message(), 0, syn.way(), syn.from(), syn.time()));
    return HostVerdict.REQUEST;
  }

  /** Answers a SYN by numbers that are made again of the client's acknowledgement. */
  private HostVerdict answer(Listener listener, Opening syn) {
    FlowIdentity numbers = cookies.issue(syn, 0);
    for (int choice = 1; choice < Cookies.CHOICES && !isFree(numbers.flowId()); choice++) {
      numbers = cookies.issue(syn, choice);
    }
    if (!isFree(numbers.flowId())) {
      return HostVerdict.FLOWS_FULL;
    }
    statelessUntil = syn.time() + 2 * Cookies.SLOT;
    listener.answer(Flow.answer(numbers, syn.message(), syn.way(), syn.own(), syn.from()));
    return HostVerdict.ANSWERED;
  }

  private HeldFlow hold(Listener listener, int flowId, Opening opening) {
    FlowPort port = listener.open(opening.from());
    if (port == null) {
      return null;
    }
    HeldFlow held = new HeldFlow(flowId, opening.client(), port, this);
    flows.add(held);
    clients.put(held.client, held);
    return held;
  }

  private HostVerdict datagram(Arrival arrival) {
    ServiceId id = Service.get(arrival.packet());
    if (id == null) {
      return HostVerdict.NOTHING;
    }
    Resolution resolution = services.draw(id, Scope.LOCAL, arrival.time(), random);
    if (resolution.isEmpty()) {
      if (!arrival.isForMany()) {
        reset(arrival);
      }
      return HostVerdict.NO_LISTENER;
    }
    socket = resolution.rule().target().socket();
    return HostVerdict.DATAGRAM;
  }

  private HostVerdict data(SalPacket packet, HeldFlow held) {
    if (!held.flow().takesData()) {
      return HostVerdict.EARLY;
    }
    if (packet.sourceFlow() != held.flow().peerFlow()) {
      return HostVerdict.WRONG_FLOW;
    }
    flow = held.flow();
    flow.heard();
    return HostVerdict.DATA;
  }

  /** Gives a message to its flow. The way is that of a SYN. */
  private HostVerdict control(HeldFlow held, Arrival arrival, ControlMessage message, Way syn) {
    SalPacket packet = arrival.packet();
    Endpoint from = arrival.source();
    boolean synAck = message.flags() == (ControlFlags.SYN | ControlFlags.ACK);
    Endpoint peer = synAck ? peer(held, Way.get(packet), from) : from;
    if (peer.isForMany() || (peer.isLoopback() && !from.isLoopback())) {
      return HostVerdict.SENDER; // all data would go there
    }
    flow = held.flow();
    took(held, flow.take(message, Capability.get(packet), syn, peer, arrival.time()));
    if (refusal == FlowRefusal.OK && !peer.equals(from)) {
      returning.put(from, arrival.time() + RETURNING_MILLIS);
    }
    return refusal == FlowRefusal.OK ? HostVerdict.CONTROL : HostVerdict.FLOW_REFUSES;
  }

  /**
   * Returns the peer that a SYN-ACK names. Its list counts if the SYN went to its sender. Anybody
   * else could lead the data to somebody who has not asked for them.
   */
  private static Endpoint peer(HeldFlow held, Way way, Endpoint from) {
    boolean known = held.asked() != null && held.asked().isSocketOf(from);
    return known && !way.isStraight() ? way.last(from.port()) : from;
  }

  /** Takes data for a flow that is not there. */
  private HostVerdict stray(Arrival arrival) {
    if (arrival.time() < statelessUntil) {
      return HostVerdict.EARLY;
    }
    reset(arrival);
    return HostVerdict.NO_FLOW;
  }

  private HostVerdict unknown(Arrival arrival, ControlMessage message) {
    ServiceId id = Service.get(arrival.packet());
    boolean third = message.flags() == ControlFlags.ACK && id != null;
    if (third && arrival.time() < statelessUntil) {
      Opening opening = new Opening(arrival, message, id, Way.STRAIGHT);
      FlowIdentity numbers = cookies.proven(opening);
      if (numbers != null && !spent.has(numbers.flowId())) {
        return prove(numbers, opening);
      }
    }
    refuse(message, arrival);
    return HostVerdict.NO_FLOW;
  }

  private HostVerdict prove(FlowIdentity numbers, Opening ack) {
    long now = ack.time();
    spent.expire(now);
    Listener listener = listener(ack.service(), now);
    if (listener == null || isFull()) {
      refuse(ack.message(), ack.arrival());
      return listener == null ? HostVerdict.NO_LISTENER : HostVerdict.FLOWS_FULL;
    }
    HeldFlow held = hold(listener, numbers.flowId(), ack);
    if (held == null) {
      refuse(ack.message(), ack.arrival());
      return HostVerdict.LISTENER_FULL;
    }
    spent.add(numbers.flowId(), now + 2 * Cookies.SLOT);
    flow = Flow.proven(numbers, ack.own(), ack.service(), held);
    held.flow(flow);
    int capability = Capability.get(ack.arrival().packet());
    took(held, flow.prove(ack.message(), capability, ack.from(), now));
    return HostVerdict.PROVEN;
  }

  /** Keeps the outcome of a message at its flow, and the time at which the flow is due now. */
  private void took(HeldFlow held, FlowRefusal outcome) {
    refusal = refusals.count(outcome);
    schedule(held);
  }

  private Listener listener(ServiceId id, long now) {
    Resolution resolution = services.draw(id, Scope.LOCAL, now, random);
    return resolution.isEmpty() ? null : listeners.get(resolution.rule().target().socket());
  }

  // ---- refusals

  /**
   * Sends the RST for a message. The source may be forged, so a RST is never longer than the
   * packet.
   */
  private void refuse(ControlMessage message, Arrival arrival) {
    ControlMessage rst = message.refusal();
    SalPacket packet = arrival.packet();
    if (rst != null && packet.end() - packet.start() >= RST_LENGTH) {
      replies.accept(Outgoing.reply(rst, arrival.local(), arrival.source()));
    }
  }

  /** Sends the RST for a packet without a message. It has no nonce that the RST could copy. */
  private void reset(Arrival arrival) {
    SalPacket packet = arrival.packet();
    ControlMessage none =
        new ControlMessage(packet.sourceFlow(), packet.destinationFlow(), 0, 0, 0, 0, 0L);
    refuse(none, arrival);
  }

  // ---- the life of a flow

  private boolean isFull() {
    return flows.size() >= limits.flows() || spent.size() >= limits.flows();
  }

  private FlowIdentity identity() {
    int flowId = random.nextInt();
    while (!isFree(flowId)) {
      flowId = random.nextInt();
    }
    return new FlowIdentity(flowId, random.nextLong(), random.nextInt(), abilities);
  }

  private boolean isFree(int flowId) {
    return flowId != 0 && flows.get(flowId) == null && !spent.has(flowId);
  }

  /** The client of a request has acknowledged. */
  void answered(HeldFlow held) {
    if (held.isRequest()) {
      held.request(false);
      requests--;
    }
  }

  /** The flow is over. */
  void remove(HeldFlow held) {
    answered(held);
    times.remove(held);
    flows.remove(held);
    if (held.client != null) {
      clients.remove(held.client);
    }
  }

  private void schedule(Flow changed) {
    HeldFlow held = flows.get(changed.identity().flowId());
    if (held != null) {
      schedule(held);
    }
  }

  private void schedule(HeldFlow held) {
    times.remove(held);
    held.schedule();
    if (held.dueAt() != Long.MAX_VALUE) {
      times.add(held);
    }
  }

  // ---- views

  /** Returns the flow of the last packet, null if it had none. */
  public Flow flow() {
    return flow;
  }

  /** Returns the flow with a flowID, null if there is none. */
  public Flow find(int flowId) {
    HeldFlow held = flows.get(flowId);
    return held == null ? null : held.flow();
  }

  /** Returns the socket of the last packet if it was an unconnected datagram, else 0. */
  public long socket() {
    return socket;
  }

  /** Returns the refusal of the last packet's flow. */
  public FlowRefusal refusal() {
    return refusal;
  }

  /** Returns the number of flows, with those that have closed and wait. */
  public int size() {
    return flows.size();
  }

  /** Returns the number of flows whose client has not acknowledged yet. */
  public int requests() {
    return requests;
  }

  public Counts<HostVerdict> verdicts() {
    return verdicts;
  }

  public Counts<FlowRefusal> refusals() {
    return refusals;
  }
}
