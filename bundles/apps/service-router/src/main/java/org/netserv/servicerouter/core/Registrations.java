// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.List;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.EndpointVerdict;
import org.netserv.serval.endpoint.UdpHeader;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/**
 * The rules that hosts register by the message of the published stack. The target is the address
 * that the message came from, so a host can only lead packets to itself. The message's old address
 * is passed over, because nothing proves that the sender had it. A rule there ends by its lifetime.
 */
final class Registrations {
  private final ServiceTable table;
  private final Plan all;
  private final Plan.Registered plan;
  private final Tally<Outcome> tally;

  Registrations(ServiceTable table, Plan plan, Tally<Outcome> tally) {
    this.table = table;
    all = plan;
    this.plan = plan.registered();
    this.tally = tally;
  }

  /**
   * Takes a datagram to the router's own serviceID.
   *
   * @return the prefix of a rule that is new or lives longer now, else null
   */
  ServicePrefix take(SalPacket packet, Endpoint host, long now) {
    Registration registration = read(packet);
    if (registration == null) {
      return null;
    }
    if (!plan.covers(registration.prefix())) {
      tally.count(Outcome.REGISTRATION_OUTSIDE);
      return null;
    }
    Rule rule = rule(registration.prefix(), host, now);
    if (registration.withdraws()) {
      boolean was = table.withdraw(rule);
      tally.count(was ? Outcome.REGISTRATION_WITHDRAWN : Outcome.REGISTRATION_UNKNOWN);
      return null;
    }
    return add(rule, now) ? rule.prefix() : null;
  }

  private Registration read(SalPacket packet) {
    int start = packet.transport() + UdpHeader.LENGTH;
    if (packet.protocol() != SalPacket.UDP || start > packet.end()) {
      tally.count(Outcome.REGISTRATION_NO_MESSAGE);
      return null;
    }
    if (!isWhole(packet)) {
      tally.count(Outcome.REGISTRATION_CHECKSUM);
      return null;
    }
    Registration registration = Registration.get(packet.buffer(), start, packet.end());
    if (registration == null) {
      tally.count(Outcome.REGISTRATION_NO_MESSAGE);
    }
    return registration;
  }

  private static boolean isWhole(SalPacket packet) {
    EndpointVerdict verdict = UdpHeader.check(packet);
    return verdict != EndpointVerdict.LENGTH && verdict != EndpointVerdict.CHECKSUM;
  }

  /** Returns the name of a host as an origin. */
  static String name(Endpoint host) {
    return Long.toHexString(host.high()) + ":" + Long.toHexString(host.low());
  }

  private Rule rule(ServicePrefix prefix, Endpoint host, long now) {
    return new Rule(
        prefix,
        RuleAction.FORWARD,
        Target.address(host),
        new Rank(0, plan.priority()),
        1,
        new Origin(Origin.Kind.REGISTRATION, name(host)),
        now + plan.lifeMillis());
  }

  private boolean add(Rule rule, long now) {
    TableRefusal refusal = table.add(rule, now);
    tally.count(Outcome.of(refusal));
    return refusal == TableRefusal.OK;
  }

  /** Returns the rules that hosts have registered. */
  List<Rule> rules() {
    return table.rules().stream()
        .filter(rule -> rule.origin().kind() == Origin.Kind.REGISTRATION)
        .toList();
  }

  /** Takes a rule over that its host has signed. The host signs again with its next refresh. */
  private void adoptSigned(Rule rule, long now) {
    if (all.signs(rule.prefix()) && rule.until() > now) {
      add(rule, now);
    }
  }

  /** Takes over the rules of an earlier router, as far as this one would have taken them. */
  void adopt(List<Rule> rules, long now) {
    for (Rule rule : rules) {
      if (rule.origin().name().startsWith(SignedRegistrations.KEY)) {
        adoptSigned(rule, now);
      } else if (plan.covers(rule.prefix()) && rule.until() > now) {
        long left = Math.min(rule.until() - now, plan.lifeMillis());
        add(rule(rule.prefix(), rule.target().address(), now + left - plan.lifeMillis()), now);
      }
    }
  }
}
