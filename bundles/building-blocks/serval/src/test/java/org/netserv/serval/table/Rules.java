// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/** Rules of one origin, which last forever. */
final class Rules {
  static final Origin OPERATOR = new Origin(Origin.Kind.OPERATOR, "");
  static final ServiceId ID = ServiceId.parse("00004001");
  static final int OWN = 0x0a0000fe;

  private Rules() {}

  static ServicePrefix prefix(String digits, int bits) {
    return new ServicePrefix(ServiceId.parse(digits), bits);
  }

  static Target host(int last) {
    return Target.address(Endpoint.ofIpv4(0x0a000000 + last, 0));
  }

  static Rule forward(ServicePrefix prefix, int host, int weight) {
    return new Rule(
        prefix, RuleAction.FORWARD, host(host), Rank.ZERO, weight, OPERATOR, Rule.FOREVER);
  }

  static Rule of(ServicePrefix prefix, RuleAction action) {
    return new Rule(prefix, action, Target.NONE, Rank.ZERO, 0, OPERATOR, Rule.FOREVER);
  }

  static Rule socket(ServicePrefix prefix, long socket) {
    Target target = Target.socket(socket);
    return new Rule(prefix, RuleAction.DEMUX, target, Rank.ZERO, 0, OPERATOR, Rule.FOREVER);
  }

  static Rule ranked(Rule rule, int preference, int priority) {
    return new Rule(
        rule.prefix(),
        rule.action(),
        rule.target(),
        new Rank(preference, priority),
        rule.weight(),
        rule.origin(),
        rule.until());
  }

  static Rule from(Rule rule, Origin origin, long until) {
    return new Rule(
        rule.prefix(), rule.action(), rule.target(), rule.rank(), rule.weight(), origin, until);
  }

  static Rule to(Rule rule, Target target) {
    return new Rule(
        rule.prefix(),
        rule.action(),
        target,
        rule.rank(),
        rule.weight(),
        rule.origin(),
        rule.until());
  }

  static ServiceTable table(TableLimits limits) {
    Endpoint own = Endpoint.ofIpv4(OWN, 0);
    return new ServiceTable(limits, own::hasAddressOf);
  }
}
