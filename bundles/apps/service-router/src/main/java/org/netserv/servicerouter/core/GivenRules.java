// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.ServicePrefix;

/**
 * The rules that the kernel was asked for, by prefix. A rule of the kernel outlives that of the
 * table by a moment, because the packets of a prefix that has ended there go by a shorter one.
 */
final class GivenRules {
  private static final int LATER_SECONDS = 5;
  private static final int REFRESH_BEFORE_MILLIS = 2000;
  private static final long LONGEST_MILLIS = 60_000_000;
  private static final long ANSWER_MILLIS = 5000;

  private final ServiceRules kernel;
  private final Tally<Outcome> tally;
  private final Map<ServicePrefix, List<Given>> byPrefix = new HashMap<>();

  /**
   * All rules that are given, and some that are not any more. The next to be looked at is first.
   */
  private final Deque<Given> turn = new ArrayDeque<>();

  /** Rules that are removed at the end of the round, in the order in which they were replaced. */
  private final Map<ServiceRuleEntry, Given> replaced = new LinkedHashMap<>();

  /** A rule that the kernel was asked for. */
  static final class Given {
    private final ServicePrefix prefix;
    private final ServiceRule rule;
    private long until;
    private long wanted;
    private long askedAt;
    private boolean removed;

    private Given(ServicePrefix prefix, ServiceRule rule, long until, long now) {
      this.prefix = prefix;
      this.rule = rule;
      this.until = until;
      this.askedAt = now;
    }

    /** Returns the prefix, null if the rule is about a router whose lists count. */
    ServicePrefix prefix() {
      return prefix;
    }

    ServiceRuleEntry entry() {
      return rule.entry();
    }

    /** Returns the reason for which the kernel refuses the rule, empty if it does not. */
    String refusal() {
      return rule.refusal();
    }

    private void refresh(long end, long now) {
      rule.refresh(seconds(end - now));
      until = end;
      askedAt = now;
    }

    private void remove() {
      removed = true;
      rule.remove();
    }
  }

  GivenRules(ServiceRules kernel, Tally<Outcome> tally) {
    this.kernel = kernel;
    this.tally = tally;
  }

  /** Tells whether the kernel has taken a rule of a prefix that leads to a target. */
  boolean has(ServicePrefix prefix, InetSocketAddress target) {
    return byPrefix.getOrDefault(prefix, List.of()).stream()
        .anyMatch(
            each ->
                target.equals(each.entry().target()) && each.rule.state() == Relay.State.ACTIVE);
  }

  /**
   * Asks for the rules of a prefix, and notes those that the prefix had before for {@link #drop}.
   *
   * @param prefix null for the routers whose lists count
   * @param wanted the rules, with the ends of their lifetimes
   * @return false if the kernel has no room; then the prefix has no rule
   */
  boolean ask(ServicePrefix prefix, Map<ServiceRuleEntry, Long> wanted, long now) {
    List<Given> before = byPrefix.getOrDefault(prefix, List.of());
    List<Given> after = new ArrayList<>(wanted.size());
    for (Map.Entry<ServiceRuleEntry, Long> each : wanted.entrySet()) {
      Given given = ask(prefix, before, each, now);
      if (given == null) {
        after.forEach(Given::remove);
        before.forEach(Given::remove);
        byPrefix.remove(prefix);
        return false;
      }
      after.add(given);
    }
    for (Given each : before) {
      if (!each.removed && !after.contains(each)) {
        replaced.put(each.entry(), each);
      }
    }
    if (after.isEmpty()) {
      byPrefix.remove(prefix);
    } else {
      byPrefix.put(prefix, after);
    }
    return true;
  }

  /** Asks for a rule, or refreshes it if that is due. Returns null if there is no room. */
  private Given ask(
      ServicePrefix prefix,
      List<Given> before,
      Map.Entry<ServiceRuleEntry, Long> wanted,
      long now) {
    long end = Math.min(wanted.getValue(), now + LONGEST_MILLIS);
    Given same = replaced.remove(wanted.getKey());
    for (Given each : before) {
      if (each.entry().equals(wanted.getKey())) {
        same = each;
      } else if (hasOtherWeight(each.entry(), wanted.getKey())) {
        each.remove(); // the kernel would refuse the same target for a second time
      }
    }
    if (same != null) {
      same.wanted = wanted.getValue();
      if (isLate(same, end, now)) {
        same.refresh(end, now);
      }
      return same;
    }
    ServiceRule rule = kernel.ask(wanted.getKey(), seconds(end - now));
    if (rule == null) {
      return null;
    }
    tally.count(Outcome.KERNEL_ASKED);
    Given given = new Given(prefix, rule, end, now);
    given.wanted = wanted.getValue();
    turn.add(given);
    return given;
  }

  private static boolean hasOtherWeight(ServiceRuleEntry one, ServiceRuleEntry other) {
    return one.kind() == other.kind()
        && one.target() != null
        && one.target().equals(other.target())
        && one.weight() != other.weight();
  }

  private static boolean isLate(Given given, long end, long now) {
    return end - given.until >= REFRESH_BEFORE_MILLIS && given.until - now < LONGEST_MILLIS / 2;
  }

  /** Notes all rules of a prefix for {@link #drop}. */
  void forget(ServicePrefix prefix) {
    List<Given> before = byPrefix.remove(prefix);
    if (before != null) {
      before.forEach(each -> replaced.put(each.entry(), each));
    }
  }

  /**
   * Removes the rules that were replaced. The last one is the first, and so the shortest prefix.
   */
  void drop() {
    if (replaced.isEmpty()) {
      return;
    }
    List<Given> all = new ArrayList<>(replaced.values());
    replaced.clear();
    for (int i = all.size() - 1; i >= 0; i--) {
      all.get(i).remove();
    }
  }

  /** Returns how many rules there are, with some that are removed. */
  int size() {
    return turn.size();
  }

  /**
   * Looks at the rule whose turn it is. If the kernel has lost it or its question, asks again.
   *
   * @return the rule if it is refused, or if its lifetime is about to end while that of the table
   *     goes on; else null
   */
  Given look(long now) {
    Given given = turn.poll();
    if (given == null || given.removed) {
      return null;
    }
    turn.add(given);
    Relay.State state = given.rule.state();
    boolean lost = state == Relay.State.ASKED && now - given.askedAt >= ANSWER_MILLIS;
    if (lost || state == Relay.State.ENDED) {
      given.refresh(given.until, now);
    }
    boolean early = given.wanted > given.until && given.until - now < LONGEST_MILLIS / 2;
    return early || state == Relay.State.REFUSED ? given : null;
  }

  /** Removes a rule that is refused. */
  void refused(Given given) {
    given.remove();
    List<Given> others = new ArrayList<>(byPrefix.getOrDefault(given.prefix, List.of()));
    others.remove(given);
    if (others.isEmpty()) {
      byPrefix.remove(given.prefix);
    } else {
      byPrefix.put(given.prefix, others);
    }
  }

  /** Returns the prefixes that have rules. */
  Collection<ServicePrefix> prefixes() {
    return byPrefix.keySet();
  }

  /** Removes all rules, of the shortest prefixes first. */
  void close() {
    List<Given> all = new ArrayList<>();
    byPrefix.values().forEach(all::addAll);
    all.addAll(replaced.values());
    all.sort((one, other) -> Integer.compare(bits(one), bits(other)));
    all.forEach(Given::remove);
    byPrefix.clear();
    replaced.clear();
    turn.clear();
  }

  private static int bits(Given given) {
    return given.entry().bits();
  }

  private static int seconds(long millis) {
    return (int) (Math.max(0, millis) / 1000) + LATER_SECONDS;
  }
}
