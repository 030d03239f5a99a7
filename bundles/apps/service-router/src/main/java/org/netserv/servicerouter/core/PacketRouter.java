// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;
import org.netserv.packet.RuleBoard;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
import org.netserv.serval.endpoint.EndpointVerdict;
import org.netserv.serval.endpoint.UdpHeader;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.table.Aggregation;
import org.netserv.serval.table.ForwardVerdict;
import org.netserv.serval.table.Forwarding;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/**
 * Decides about each datagram, and writes the ones that go on. Each datagram ends in one counter,
 * but a packet that waits is counted again when it goes on.
 *
 * <pre>
 *   datagram -> SalPacket -> SYN or datagram? -> client -> Forwarding -> Output, Waiting,
 *                                                                        Registrations, or dropped
 *   new rule -> packets that wait for it -> Forwarding
 * </pre>
 */
public final class PacketRouter implements Routing {
  /** The number of the router's own socket in DEMUX rules. */
  private static final long OWN_SOCKET = 1;

  private final Plan plan;
  private final Output output;
  private final Tally<Outcome> tally;
  private final ServiceTable table;
  private final Forwarding forwarding;
  private final Registrations registrations;
  private final SignedRegistrations signed;
  private final Waiting waiting;
  private final KernelRules kernel;
  private final OwnMail mail;
  private final FeederDesk feeders;
  private final Answers answers;
  private final ShownRules shown;
  private final SalPacket packet = new SalPacket();
  private final SalWriter writer = new SalWriter();

  /**
   * Makes a router with the rules of its plan.
   *
   * @param rules of the kernel, null if the node has none
   * @throws IllegalArgumentException if the table refuses a rule
   */
  public PacketRouter(
      Plan plan,
      RandomGenerator random,
      Output output,
      ServiceRules rules,
      Tally<Outcome> tally,
      long now) {
    this.plan = plan;
    this.output = output;
    this.tally = tally;
    table = new ServiceTable(plan.limits(), plan::isOwn);
    forwarding = new Forwarding(table, random);
    registrations = new Registrations(table, plan, tally);
    signed = new SignedRegistrations(table, plan, random, tally);
    waiting = new Waiting(plan.waiting(), tally);
    kernel = new KernelRules(rules, table, plan, tally);
    mail = new OwnMail(plan.own(), output, tally);
    feeders = new FeederDesk(table, tally);
    answers = new Answers(plan, output, random);
    shown = new ShownRules(table, kernel);
    plan.rules().forEach(rule -> require(rule, now));
    require(ownRule(plan), now);
  }

  private static Rule ownRule(Plan plan) {
    return new Rule(
        ServicePrefix.of(plan.own()),
        RuleAction.DEMUX,
        Target.socket(OWN_SOCKET),
        new Rank(Integer.MAX_VALUE, 0),
        0,
        new Origin(Origin.Kind.PROCESS, "router"),
        Rule.FOREVER);
  }

  private void require(Rule rule, long now) {
    TableRefusal refusal = table.add(rule, now);
    if (refusal != TableRefusal.OK) {
      throw new IllegalArgumentException("rules: " + rule.origin().name() + ": " + refusal.text());
    }
  }

  /**
   * Adds feeders, which are called from now on.
   *
   * @param choice the prefixes that they announce
   */
  public void feed(List<Feeder> more, Aggregation.Choice choice) {
    feeders.add(more, choice);
  }

  /** Takes over the rules that hosts have registered at an earlier router. */
  public void adopt(List<Rule> rules, long now) {
    registrations.adopt(rules, now);
  }

  /** Returns the rules that hosts have registered. */
  public List<Rule> registered() {
    return registrations.rules();
  }

  /** Answers an operator's question about the rules. */
  public void show(RuleBoard.Question question, long now) {
    question.answer(shown.page(question.id(), question.most(), now));
  }

  /** Returns the number of packets that wait. */
  public int waiting() {
    return waiting.size();
  }

  /** Takes a datagram that came. Its bytes are not kept. */
  public void take(Received received, long now) {
    Outcome outcome = check(received);
    if (outcome != null) {
      tally.count(outcome);
      return;
    }
    if (Answers.isAnswer(packet)) {
      takeBack(received, now);
      return;
    }
    Way way = Way.get(packet);
    if (way.isFrom(received.sender()) && !plan.routers().contains(received.sender())) {
      tally.count(Outcome.ROUTER_STRANGER);
      return;
    }
    decide(received, way.client(received.sender()), now, now);
  }

  private void takeBack(Received received, long now) {
    Endpoint hop = hop(received);
    tally.count(
        hop == null ? Outcome.ROUTER_ADDRESS : answers.take(packet, writer, received, hop, now));
  }

  /** Returns the reason for which a datagram is no packet for a router, null if it is one. */
  private Outcome check(Received received) {
    ServalError error = packet.reset(received.bytes(), received.start(), received.end());
    if (error != ServalError.OK) {
      return Outcome.of(error);
    }
    if (received.sender().isForMany() || received.sender().port() == 0) {
      return Outcome.ROUTER_SENDER;
    }
    return isForRouters() || Answers.isAnswer(packet) ? null : Outcome.ROUTER_FLOW;
  }

  /** A router draws an instance for SYNs and unconnected datagrams alone. */
  private boolean isForRouters() {
    if (packet.destinationFlow() != 0) {
      return false;
    }
    boolean syn = Control.flags(packet) == ControlFlags.SYN && packet.sourceFlow() != 0;
    return syn || !packet.has(ExtensionType.CONTROL);
  }

  /**
   * Has the table decide about the packet in the view.
   *
   * @param since the time at which the packet came
   */
  private void decide(Received received, Endpoint client, long since, long now) {
    Endpoint hop = hop(received);
    if (hop == null) {
      tally.count(Outcome.ROUTER_ADDRESS);
      return;
    }
    ForwardVerdict verdict = forwarding.decide(packet, hop, received.ttl(), now);
    if (verdict != ForwardVerdict.FORWARD) {
      tally.count(Outcome.of(verdict));
    }
    switch (verdict) {
      case FORWARD -> forward(received, client, hop, now);
      case HOLD -> hold(received, since, client, now);
      case DELIVER -> deliver(received, client, now);
      default -> {}
    }
  }

  /** Returns the address by which the packet came, as hosts know it. Null if there is none. */
  private Endpoint hop(Received received) {
    return received.local().isForMany()
        ? received.local()
        : plan.address(received.sender().isIpv4());
  }

  private void forward(Received received, Endpoint client, Endpoint hop, long now) {
    Endpoint target = forwarding.rule().target().address();
    Long ticket = answers.ticket(packet, client, target, now);
    ByteBuffer out = output.bytes();
    writer.begin(out, output.start(), output.end(), packet.sourceFlow(), 0, packet.protocol());
    if (!Forwarding.writeHops(writer, packet, client, hop, ticket)) {
      tally.count(writer.fits() ? Outcome.FORWARD_TOO_MANY_HOPS : Outcome.ROUTER_NO_ROOM);
      return;
    }
    int length = packet.end() - packet.transport();
    if (length > output.end() - writer.end()) {
      tally.count(Outcome.ROUTER_NO_ROOM);
      return;
    }
    out.put(writer.end(), packet.buffer(), packet.transport(), length);
    tally.count(Outcome.FORWARD_FORWARD);
    int whole = writer.end() + length - output.start();
    output.send(whole, target, received.local(), received.ttl() - 1);
  }

  private void deliver(Received received, Endpoint host, long now) {
    if (packet.has(ExtensionType.CONTROL)) {
      tally.count(Outcome.REGISTRATION_NO_MESSAGE);
      return;
    }
    if (isForFeeder(received, host, now)) {
      return;
    }
    ServicePrefix changed =
        isSigned() ? sign(received, host, now) : registrations.take(packet, host, now);
    if (changed != null) {
      release(changed, now);
    }
  }

  private void release(ServicePrefix prefix, long now) {
    waiting.release(prefix).forEach(each -> again(each, now));
  }

  /** Holds a packet, and tells the feeders that look serviceIDs up. */
  private void hold(Received received, long since, Endpoint client, long now) {
    ServiceId id = Service.get(packet);
    if (waiting.hold(received, since, id, client, now)) {
      feeders.wanted(id, now);
    }
  }

  /** Gives a sound message to the feeder that wants it. False if none does. */
  private boolean isForFeeder(Received received, Endpoint host, long now) {
    if (feeders.isEmpty() || !host.equals(received.sender()) || !isMessage()) {
      return false;
    }
    Feeder.Payload payload =
        new Feeder.Payload(
            Service.getSource(packet), packet.buffer(), payload(), packet.end(), host);
    return feeders.take(payload, now);
  }

  private int payload() {
    return packet.transport() + UdpHeader.LENGTH;
  }

  /** Tells whether the packet in the view has a sound payload and a source. */
  private boolean isMessage() {
    return packet.protocol() == SalPacket.UDP
        && payload() <= packet.end()
        && UdpHeader.check(packet) == EndpointVerdict.DELIVERED
        && Service.getSource(packet) != null;
  }

  /** Tells whether the packet in the view has a sound message of a signed registration. */
  private boolean isSigned() {
    return isMessage() && RegistrationDesk.isFor(packet.buffer(), payload(), packet.end());
  }

  /** Takes a message of a signed registration, and answers it. */
  private ServicePrefix sign(Received received, Endpoint host, long now) {
    ByteBuffer answer = signed.take(packet.buffer(), payload(), packet.end(), host, now);
    if (answer == null) {
      return null;
    }
    ServiceId asker = Service.getSource(packet);
    mail.send(asker, host, received.local(), packet.sourceFlow(), answer);
    return signed.changed();
  }

  /** Looks a packet up again that has waited. It was sound, and its sender is known. */
  private void again(Waiting.Packet waited, long now) {
    Received received = waited.received();
    packet.reset(received.bytes(), received.start(), received.end());
    tally.count(Outcome.ROUTER_RELEASED);
    decide(received, Way.get(packet).client(received.sender()), waited.since(), now);
  }

  /** Does all that is due: drops rules and packets whose time is over. */
  public void tick(long now) {
    for (int ended = table.expire(now); ended > 0; ended--) {
      tally.count(Outcome.ROUTER_EXPIRED);
    }
    waiting.expire(now);
    feeders.tick(now);
    kernel.tick(now);
  }

  /**
   * Takes the rules back that the kernel has, and ends the feeders.
   *
   * @param forGood tells whether no other router follows in the place of this one
   */
  public void end(boolean forGood, long now) {
    feeders.end(forGood, now);
    kernel.close();
  }

  // ---- for feeders

  @Override
  public TableRefusal put(Rule rule, long now) {
    TableRefusal refusal = table.add(rule, now);
    tally.count(Outcome.of(refusal));
    if (refusal == TableRefusal.OK) {
      release(rule.prefix(), now);
    }
    return refusal;
  }

  @Override
  public boolean withdraw(Rule rule) {
    return table.withdraw(rule);
  }

  @Override
  public void refuse(ServiceId id) {
    waiting.release(ServicePrefix.of(id)).forEach(each -> tally.count(Outcome.LOOKUP_NONE));
  }

  @Override
  public void send(ServiceId to, Endpoint host, ByteBuffer payload) {
    mail.send(to, host, payload);
  }
}
