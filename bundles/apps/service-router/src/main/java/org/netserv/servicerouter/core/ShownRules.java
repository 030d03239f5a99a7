// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.RuleBoard;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.ServiceTable;

/** Answers the operator's questions about the rules of a table. */
final class ShownRules {
  private final ServiceTable table;
  private final KernelRules kernel;

  ShownRules(ServiceTable table, KernelRules kernel) {
    this.table = table;
    this.kernel = kernel;
  }

  RuleBoard.Page page(String id, int most, long now) {
    if (id == null) {
      return page(table.size(), table.first(most), now);
    }
    ServiceId service = ServiceId.parse(id);
    List<Rule> matching = service == null ? List.of() : table.matching(service);
    return page(matching.size(), matching.subList(0, Math.min(most, matching.size())), now);
  }

  private RuleBoard.Page page(int count, List<Rule> rules, long now) {
    return new RuleBoard.Page(count, rules.stream().map(rule -> entry(rule, now)).toList());
  }

  private RuleBoard.Entry entry(Rule rule, long now) {
    return new RuleBoard.Entry(
        rule.prefix().id().toString(),
        rule.prefix().bits(),
        word(rule.action()),
        target(rule),
        word(rule.origin().kind()) + " " + origin(rule),
        seconds(rule, now),
        rule.rank().preference(),
        rule.rank().priority(),
        Math.max(1, rule.weight()),
        table.packets(rule),
        kernel.has(rule));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static long seconds(Rule rule, long now) {
    return rule.until() == Rule.FOREVER
        ? -1
        : TimeUnit.MILLISECONDS.toSeconds(Math.max(0, rule.until() - now));
  }

  /** Returns the origin's name. A host that registered itself is told by its address. */
  private static String origin(Rule rule) {
    Endpoint target = rule.target().address();
    return target != null && rule.origin().name().equals(Registrations.name(target))
        ? address(target)
        : rule.origin().name();
  }

  private static String target(Rule rule) {
    Endpoint target = rule.target().address();
    if (target == null) {
      return "";
    }
    String host = address(target);
    return (target.isIpv4() ? host : "[" + host + "]") + ":" + target.port();
  }

  private static String address(Endpoint endpoint) {
    return Addresses.socketAddress(endpoint).getAddress().getHostAddress();
  }
}
