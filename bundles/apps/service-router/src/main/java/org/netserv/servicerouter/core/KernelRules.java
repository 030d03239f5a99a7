// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRuleEntry.Kind;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;

/**
 * Keeps the kernel's rules as the table's are. The kernel takes the longest prefix among the rules
 * that it has. So it gets all prefixes of the table or none: one that it cannot route itself, such
 * as a DELAY, it leaves to this module.
 *
 * <pre>
 *   a prefix of the table            in the kernel
 *   1 to 8 targets over IPv4         each target
 *   DELAY, DROP, the router itself   left to the module
 *   more targets, or IPv6            left to the module
 *   a target that is refused         left to the module, while its rules are the same
 *   that is refused, too             no prefix at all, tried again after 30 s
 * </pre>
 *
 * <p>A rule of the kernel outlives that of the table by a moment, because the packets of a prefix
 * that has ended there go by a shorter one.
 */
final class KernelRules {
  private static final int TARGETS_MOST = 8;
  private static final int WORK_MILLIS = 100;
  private static final int LOOK_MILLIS = 1000;
  private static final int REST_MILLIS = 30_000;
  private static final int LATER_SECONDS = 5;
  private static final int REFRESH_BEFORE_MILLIS = 2000;
  private static final long LONGEST_MILLIS = 60_000_000;
  private static final int IPV4_BYTES = 4;

  private final ServiceRules kernel;
  private final ServiceTable table;
  private final Plan plan;
  private final Tally<Outcome> tally;
  private final InetSocketAddress router;
  private final Map<ServiceRuleEntry, Asked> asked = new LinkedHashMap<>();
  private final Map<ServicePrefix, List<Rule>> left = new HashMap<>();
  private Map<ServicePrefix, List<Rule>> counting = Map.of();
  private long workAt;
  private long lookAt;
  private boolean changed = true;

  /** A rule that the kernel was asked for, and the time until which it was. */
  private static final class Asked {
    private final ServiceRule rule;
    private long until;

    private Asked(ServiceRule rule, long until) {
      this.rule = rule;
      this.until = until;
    }
  }

  /**
   * Gives nothing yet.
   *
   * @param kernel null if the node has none
   */
  KernelRules(ServiceRules kernel, ServiceTable table, Plan plan, Tally<Outcome> tally) {
    this.kernel = kernel;
    this.table = table;
    this.plan = plan;
    this.tally = tally;
    Endpoint own = plan.address(true);
    router = own == null ? null : address(own);
  }

  /** Notes that the table has changed. */
  void changed() {
    changed = true;
  }

  /** Does all that is due. */
  void tick(long now) {
    if (kernel == null || router == null || now < workAt || !kernel.available()) {
      return;
    }
    workAt = now + WORK_MILLIS;
    if (changed || now >= lookAt) {
      lookAt = now + LOOK_MILLIS;
      changed = false;
      look(now);
    }
  }

  private void look(long now) {
    Map<ServiceRuleEntry, Long> wanted = wanted(now);
    for (Map.Entry<ServiceRuleEntry, Long> each : wanted.entrySet()) {
      if (!isGiven(each.getKey(), each.getValue(), now)) {
        rest(now);
        return;
      }
    }
    drop(wanted.keySet()); // last, so that no packet goes by a shorter prefix meanwhile
  }

  /** Returns the rules that the kernel is to have, the longest prefix first, with their ends. */
  private Map<ServiceRuleEntry, Long> wanted(long now) {
    Map<ServiceRuleEntry, Long> wanted = new LinkedHashMap<>();
    counting = table.counting(now);
    left.keySet().retainAll(counting.keySet());
    for (Endpoint peer : plan.routers()) {
      if (peer.isIpv4()) {
        wanted.put(entry(Kind.PEER, ServicePrefix.DEFAULT, address(peer), 0), Rule.FOREVER);
      }
    }
    boolean covered = false;
    for (Map.Entry<ServicePrefix, List<Rule>> each : counting.entrySet()) {
      ServicePrefix prefix = each.getKey();
      if (!prefix.equals(ServicePrefix.of(plan.own()))) {
        covered |= prefix.covers(ServicePrefix.of(plan.own()));
        want(wanted, prefix, each.getValue());
      }
    }
    return covered ? withOwn(wanted) : wanted;
  }

  /** Returns the rules with one in front that leaves the router's own serviceID to the module. */
  private Map<ServiceRuleEntry, Long> withOwn(Map<ServiceRuleEntry, Long> wanted) {
    Map<ServiceRuleEntry, Long> all = new LinkedHashMap<>();
    all.put(entry(Kind.MODULE, ServicePrefix.of(plan.own()), null, 0), Rule.FOREVER);
    all.putAll(wanted);
    return all;
  }

  private void want(Map<ServiceRuleEntry, Long> wanted, ServicePrefix prefix, List<Rule> rules) {
    if (!isRoutable(rules) || isLeft(prefix, rules)) {
      wanted.put(entry(Kind.MODULE, prefix, null, 0), Rule.FOREVER);
      return;
    }
    for (Rule rule : rules) {
      InetSocketAddress target = address(rule.target().address());
      wanted.put(entry(Kind.TARGET, prefix, target, Math.max(1, rule.weight())), rule.until());
    }
  }

  private static boolean isRoutable(List<Rule> rules) {
    return rules.size() <= TARGETS_MOST
        && rules.stream()
            .allMatch(
                rule -> rule.action() == RuleAction.FORWARD && rule.target().address().isIpv4());
  }

  /** Tells whether a target of the prefix was refused, and its rules are still the same. */
  private boolean isLeft(ServicePrefix prefix, List<Rule> rules) {
    List<Rule> before = left.get(prefix);
    if (before == null) {
      return false;
    }
    if (targets(before).equals(targets(rules))) {
      return true;
    }
    left.remove(prefix);
    return false;
  }

  private static Set<Object> targets(List<Rule> rules) {
    Set<Object> targets = new HashSet<>();
    rules.forEach(rule -> targets.add(rule.target()));
    return targets;
  }

  /** Removes the rules that are not wanted any more, the shortest prefix first. */
  private void drop(Set<ServiceRuleEntry> wanted) {
    List<ServiceRuleEntry> gone = new ArrayList<>(asked.keySet());
    gone.removeAll(wanted);
    for (ServiceRuleEntry entry : gone) {
      asked.remove(entry).rule.remove();
    }
  }

  /** Asks for a rule if it is due. Returns false if the kernel is to have no rule at all. */
  private boolean isGiven(ServiceRuleEntry entry, long until, long now) {
    long end = Math.min(until, now + LONGEST_MILLIS);
    Asked before = asked.get(entry);
    if (before == null) {
      ServiceRule rule = kernel.ask(entry, seconds(end - now));
      if (rule == null) {
        return false;
      }
      asked.put(entry, new Asked(rule, end));
      tally.count(Outcome.KERNEL_ASKED);
      return true;
    }
    if (before.rule.state() == Relay.State.REFUSED) {
      return isSpared(entry, before);
    }
    boolean ended = before.rule.state() == Relay.State.ENDED;
    boolean late = end > before.until && before.until - now < LONGEST_MILLIS / 2;
    if (ended || (late && isWorthIt(end, before.until))) {
      before.rule.refresh(seconds(end - now));
      before.until = end;
    }
    return true;
  }

  private static boolean isWorthIt(long end, long before) {
    return end - before >= REFRESH_BEFORE_MILLIS;
  }

  /** Tells whether the kernel can do without a rule that it refuses. */
  private boolean isSpared(ServiceRuleEntry entry, Asked refused) {
    tally.count(Outcome.KERNEL_REFUSED);
    asked.remove(entry);
    String reason = refused.rule.refusal();
    refused.rule.remove();
    if (entry.kind() != Kind.TARGET || reason.equals("direct")) {
      return entry.kind() == Kind.PEER;
    }
    changed = true;
    if (!reason.equals("taken")) { // with another weight, by a rule that is about to go
      ServiceId id = new ServiceId(entry.first(), entry.second(), entry.third(), entry.fourth());
      ServicePrefix prefix = new ServicePrefix(id, entry.bits());
      left.put(prefix, counting.getOrDefault(prefix, List.of()));
    }
    return true;
  }

  /** Takes all rules back. */
  private void rest(long now) {
    tally.count(Outcome.KERNEL_OFF);
    workAt = now + REST_MILLIS;
    changed = true;
    close();
  }

  /** Takes all rules back, the shortest prefixes first. */
  void close() {
    List<Asked> all = new ArrayList<>(asked.values());
    asked.clear();
    for (int i = all.size() - 1; i >= 0; i--) {
      all.get(i).rule.remove();
    }
  }

  private static int seconds(long millis) {
    return (int) (millis / 1000) + LATER_SECONDS;
  }

  private ServiceRuleEntry entry(
      Kind kind, ServicePrefix prefix, InetSocketAddress target, int weight) {
    ServiceId id = prefix.id();
    return new ServiceRuleEntry(
        kind,
        router,
        id.first(),
        id.second(),
        id.third(),
        id.fourth(),
        prefix.bits(),
        target,
        weight);
  }

  private static InetSocketAddress address(Endpoint endpoint) {
    int four = endpoint.ipv4();
    byte[] bytes = new byte[IPV4_BYTES];
    for (int i = 0; i < IPV4_BYTES; i++) {
      bytes[i] = (byte) (four >>> (24 - 8 * i));
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), endpoint.port());
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // the length is right
    }
  }
}
