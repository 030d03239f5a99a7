// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Datagrams;

/** A router in virtual time, and the packets that it sends. */
final class Stage {
  static final Endpoint OWN = host(254, 54325);
  static final Endpoint CLIENT = host(1, 4000);
  static final Endpoint NEIGHBOUR = host(253, 54325);
  static final Endpoint NOBODY = new Endpoint(0, 0, 0);
  static final int TTL = 60;
  static final long LIFE = 50_000;

  final Tally<Outcome> tally = new Tally<>(Outcome.class);
  final Sent sent;
  final PacketRouter router;
  final FakeKernel kernel = new FakeKernel();
  long now;

  Stage(Rule... rules) {
    this(2048, new HeldPackets.Limits(4, 3, 2, 5000), rules);
  }

  Stage(int room, HeldPackets.Limits waiting, Rule... rules) {
    this(List.of(OWN), room, waiting, rules);
  }

  /** Makes a router of both families. */
  Stage(Endpoint six, Rule... rules) {
    this(List.of(OWN, six), 2048, HeldPackets.Limits.DEFAULT, rules);
  }

  /** Makes a router of both families with room for so many rules, and none yet. */
  static Stage large(int rules, Endpoint six) {
    TableLimits limits = new TableLimits(rules, rules, 8);
    return new Stage(List.of(OWN, six), 2048, HeldPackets.Limits.DEFAULT, limits, true);
  }

  /** Makes a router that takes no SYN-ACK back. */
  static Stage withoutReturns(Rule... rules) {
    TableLimits limits = new TableLimits(100, 3, 8);
    return new Stage(List.of(OWN), 2048, HeldPackets.Limits.DEFAULT, limits, false, rules);
  }

  private Stage(List<Endpoint> addresses, int room, HeldPackets.Limits waiting, Rule... rules) {
    this(addresses, room, waiting, new TableLimits(100, 3, 8), true, rules);
  }

  private Stage(
      List<Endpoint> addresses,
      int room,
      HeldPackets.Limits waiting,
      TableLimits limits,
      boolean returns,
      Rule... rules) {
    sent = new Sent(room);
    Plan plan =
        new Plan(
            addresses,
            Datagrams.ROUTER,
            List.of(rules),
            new Plan.Registered(List.of(Datagrams.prefix("0000")), 100, LIFE),
            new RegistrationDesk.Settings(
                List.of(Datagrams.prefix("6")), Map.of(), 10, 100, (int) LIFE / 1000),
            Set.of(NEIGHBOUR),
            limits,
            waiting,
            returns);
    router = new PacketRouter(plan, new Random(1), sent, kernel, tally, 0);
  }

  static Endpoint host(int last, int port) {
    return Endpoint.ofIpv4(0x0a000000 + last, port);
  }

  static Rule forward(ServicePrefix prefix, Endpoint to) {
    return rule(prefix, RuleAction.FORWARD, Target.address(to));
  }

  static Rule rule(ServicePrefix prefix, RuleAction action, Target target) {
    Origin origin = new Origin(Origin.Kind.MODULE, prefix + " " + action);
    return new Rule(prefix, action, target, Rank.ZERO, 1, origin, Rule.FOREVER);
  }

  static Rule of(ServiceId id, RuleAction action) {
    return rule(ServicePrefix.of(id), action, Target.NONE);
  }

  void take(ByteBuffer datagram, Endpoint from) {
    take(datagram, from, TTL);
  }

  void take(ByteBuffer datagram, Endpoint from, int ttl) {
    router.take(new Received(datagram, 0, datagram.limit(), from, NOBODY, ttl), now);
  }

  /** Returns the packet that was sent last, and forgets all. */
  Sent.Packet last() {
    Sent.Packet last = sent.packets.get(sent.packets.size() - 1);
    sent.packets.clear();
    return last;
  }

  long count(Outcome outcome) {
    return tally.get(outcome);
  }
}
