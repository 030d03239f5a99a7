// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
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

  /** Does what is due. */
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

  /**
   * Gives a packet to its flow or listener.
   *
   * @param from the address and port that the packet came from
   * @param own the address of this host that the packet came to, or of the interface if it came to
   *     a group or a broadcast address
   * @param forMany the packet came to such an address
   */
  public HostVerdict take(
      SalPacket packet, Endpoint from, Endpoint own, boolean forMany, long now) {
    flow = null;
    socket = 0;
    refusal = FlowRefusal.OK;
    return verdicts.count(demultiplex(packet, from, own, forMany, now));
  }

  private HostVerdict demultiplex(
      SalPacket packet, Endpoint from, Endpoint own, boolean forMany, long now) {
    if (from.isForMany()) {
      return HostVerdict.SENDER;
    }
    ControlMessage message = Control.get(packet);
    if (message != null && message.flags() == ControlFlags.SYN) {
      return syn(packet, message, from, own, now);
    }
    if (packet.destinationFlow() == 0 && message == null) {
      return datagram(packet, from, own, forMany, now);
    }
    if (forMany) {
      return HostVerdict.GROUP;
    }
    HeldFlow held = flows.get(packet.destinationFlow());
    if (held != null) {
      return message == null
          ? data(packet, held)
          : control(held, packet, message, Way.STRAIGHT, from, now);
    }
    return message == null
        ? stray(packet, from, own, now)
        : unknown(packet, message, from, own, now);
  }

  private HostVerdict syn(
      SalPacket packet, ControlMessage syn, Endpoint from, Endpoint own, long now) {
    HeldFlow known = clients.get(client(syn, from));
    Way way = Way.get(packet);
    if (known != null) {
      return control(known, packet, syn, way, from, now);
    }
    ServiceId id = Service.get(packet);
    if (id == null || syn.sourceFlow() == 0 || syn.destinationFlow() != 0) {
      return id == null ? HostVerdict.NO_SERVICE : HostVerdict.WRONG_FLOW;
    }
    Listener listener = listener(id, now);
    if (listener == null) {
      return HostVerdict.NO_LISTENER;
    }
    if (way.isFull()) {
      return HostVerdict.TOO_MANY_HOPS;
    }
    if (isFull()) {
      return HostVerdict.FLOWS_FULL;
    }
    return requests < limits.requests()
        ? request(listener, syn, id, way, from, own, now)
        : answer(listener, syn, id, way, from, own, now);
  }

  private HostVerdict request(
      Listener listener,
      ControlMessage syn,
      ServiceId id,
      Way way,
      Endpoint from,
      Endpoint own,
      long now) {
    FlowIdentity identity = identity();
    HeldFlow held = hold(listener, identity.flowId(), syn, from);
    if (held == null) {
      return HostVerdict.LISTENER_FULL;
    }
    held.flow(Flow.server(identity, own, id, held));
    held.request(true);
    requests++;
    flow = held.flow();
    refusal = refusals.count(flow.take(syn, 0, way, from, now));
    schedule(held);
    return HostVerdict.REQUEST;
  }

  /** Answers a SYN by numbers that are made again of the client's acknowledgement. */
  private HostVerdict answer(
      Listener listener,
      ControlMessage syn,
      ServiceId id,
      Way way,
      Endpoint from,
      Endpoint own,
      long now) {
    FlowIdentity numbers = cookies.issue(syn, id, from, 0, now);
    for (int choice = 1; choice < Cookies.CHOICES && !isFree(numbers.flowId()); choice++) {
      numbers = cookies.issue(syn, id, from, choice, now);
    }
    if (!isFree(numbers.flowId())) {
      return HostVerdict.FLOWS_FULL;
    }
    statelessUntil = now + 2 * Cookies.SLOT;
    listener.answer(Flow.answer(numbers, syn, way, own, from));
    return HostVerdict.ANSWERED;
  }

  private HeldFlow hold(Listener listener, int flowId, ControlMessage message, Endpoint from) {
    FlowPort port = listener.open(from);
    if (port == null) {
      return null;
    }
    HeldFlow held = new HeldFlow(flowId, client(message, from), port, this);
    flows.add(held);
    clients.put(held.client, held);
    return held;
  }

  private static HeldFlow.Client client(ControlMessage message, Endpoint from) {
    return new HeldFlow.Client(from, message.sourceFlow(), message.nonce());
  }

  private HostVerdict datagram(
      SalPacket packet, Endpoint from, Endpoint own, boolean forMany, long now) {
    ServiceId id = Service.get(packet);
    if (id == null) {
      return HostVerdict.NOTHING;
    }
    Resolution resolution = services.draw(id, Scope.LOCAL, now, random);
    if (resolution.isEmpty()) {
      if (!forMany) {
        reset(packet, from, own);
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
    return HostVerdict.DATA;
  }

  private HostVerdict control(
      HeldFlow held, SalPacket packet, ControlMessage message, Way syn, Endpoint from, long now) {
    flow = held.flow();
    boolean synAck = message.flags() == (ControlFlags.SYN | ControlFlags.ACK);
    Way way = synAck ? Way.get(packet) : Way.STRAIGHT;
    Endpoint peer = way.isStraight() ? from : way.last(from.port());
    refusal = refusals.count(flow.take(message, Capability.get(packet), syn, peer, now));
    schedule(held);
    return refusal == FlowRefusal.OK ? HostVerdict.CONTROL : HostVerdict.FLOW_REFUSES;
  }

  /** Takes data for a flow that is not there. */
  private HostVerdict stray(SalPacket packet, Endpoint from, Endpoint own, long now) {
    if (now < statelessUntil) {
      return HostVerdict.EARLY;
    }
    reset(packet, from, own);
    return HostVerdict.NO_FLOW;
  }

  private HostVerdict unknown(
      SalPacket packet, ControlMessage message, Endpoint from, Endpoint own, long now) {
    ServiceId id = Service.get(packet);
    boolean third = message.flags() == ControlFlags.ACK && id != null;
    FlowIdentity numbers =
        third && now < statelessUntil ? cookies.proven(message, id, from, now) : null;
    if (numbers != null && !spent.has(numbers.flowId())) {
      return prove(numbers, packet, message, id, from, own, now);
    }
    refuse(message, from, own);
    return HostVerdict.NO_FLOW;
  }

  private HostVerdict prove(
      FlowIdentity numbers,
      SalPacket packet,
      ControlMessage ack,
      ServiceId id,
      Endpoint from,
      Endpoint own,
      long now) {
    spent.expire(now);
    Listener listener = listener(id, now);
    HeldFlow held =
        listener == null || isFull() ? null : hold(listener, numbers.flowId(), ack, from);
    if (held == null) {
      refuse(ack, from, own);
      return listener == null ? HostVerdict.NO_LISTENER : HostVerdict.LISTENER_FULL;
    }
    spent.add(numbers.flowId(), now + 2 * Cookies.SLOT);
    held.flow(Flow.proven(numbers, own, id, held));
    flow = held.flow();
    refusal = refusals.count(flow.prove(ack, Capability.get(packet), from, now));
    schedule(held);
    return HostVerdict.PROVEN;
  }

  private Listener listener(ServiceId id, long now) {
    Resolution resolution = services.draw(id, Scope.LOCAL, now, random);
    return resolution.isEmpty() ? null : listeners.get(resolution.rule().target().socket());
  }

  // ---- refusals

  private void refuse(ControlMessage message, Endpoint from, Endpoint own) {
    ControlMessage rst = message.refusal();
    if (rst != null) {
      replies.accept(Outgoing.reply(rst, own, from));
    }
  }

  /** Sends the RST for a packet without a message. It has no nonce that the RST could copy. */
  private void reset(SalPacket packet, Endpoint from, Endpoint own) {
    ControlMessage none =
        new ControlMessage(packet.sourceFlow(), packet.destinationFlow(), 0, 0, 0, 0, 0L);
    refuse(none, from, own);
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
