// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * The rules of a host or router, found by the longest prefix of a serviceID.
 *
 * <p>Prefixes lie in one hash map. A look-up probes it once for each length that the table has,
 * from the longest on, and so at most 257 times. A rule counts from its arrival to the end of its
 * lifetime, whether {@link #expire} has run since or not. Memory is bounded by {@link TableLimits}.
 */
public final class ServiceTable {
  private final TableLimits limits;
  private final Predicate<Endpoint> own;
  private final Map<ServicePrefix, RuleSet> sets = new HashMap<>();
  private final Map<Rule.Key, HeldRule> rules = new HashMap<>();
  private final Map<Origin, Set<Rule.Key>> origins = new HashMap<>();
  private final TreeSet<HeldRule> ends = new TreeSet<>(HeldRule.BY_END);
  private final int[] prefixes = new int[ServiceId.BITS + 1];
  private final BitSet lengths = new BitSet(ServiceId.BITS + 1);
  private final Counts<TableRefusal> refusals = new Counts<>("rule", TableRefusal.class);
  private long arrivals;
  private long version;
  private Consumer<ServicePrefix> watcher = prefix -> {};

  /**
   * Makes an empty table.
   *
   * @param own tells the addresses of this host, to which no rule may forward
   */
  public ServiceTable(TableLimits limits, Predicate<Endpoint> own) {
    this.limits = limits;
    this.own = own;
  }

  /**
   * Tells a watcher each prefix with a rule that comes, goes, or gets another rank, weight or
   * lifetime. There is one watcher, called before the change has returned.
   */
  public void watch(Consumer<ServicePrefix> watcher) {
    this.watcher = watcher;
  }

  /** Returns the number of rules, with those that have ended but are not removed yet. */
  public int size() {
    return rules.size();
  }

  /** Returns a number that is another one when rules differ in more than their lifetimes. */
  public long version() {
    return version;
  }

  /** Adds a rule, or replaces the rule with the same prefix, action, target and origin. */
  public TableRefusal add(Rule rule, long now) {
    return refusals.count(tryAdd(rule, now));
  }

  private TableRefusal tryAdd(Rule rule, long now) {
    TableRefusal refusal = check(rule, now);
    if (refusal != TableRefusal.OK) {
      return refusal;
    }
    HeldRule former = rules.get(rule.key());
    if (former == null) {
      expire(now);
      refusal = room(rule);
      if (refusal != TableRefusal.OK) {
        return refusal;
      }
    } else {
      remove(former);
    }
    version += former == null || !former.rule().isLike(rule) ? 1 : 0;
    insert(new HeldRule(rule, arrivals++, former == null ? 0 : former.packets()));
    return TableRefusal.OK;
  }

  private TableRefusal check(Rule rule, long now) {
    if (!rule.target().suits(rule.action())) {
      return TableRefusal.TARGET;
    }
    if (rule.weight() < 0 || rule.weight() > Rule.MOST_WEIGHT) {
      return TableRefusal.WEIGHT;
    }
    if (!rule.liveAt(now)) {
      return TableRefusal.ENDED;
    }
    Endpoint address = rule.target().address();
    if (address != null && own.test(address)) {
      return TableRefusal.ONTO_ITSELF;
    }
    return address != null && address.isForMany() ? TableRefusal.FOR_MANY : TableRefusal.OK;
  }

  private TableRefusal room(Rule rule) {
    if (rules.size() >= limits.rules()) {
      return TableRefusal.TABLE_FULL;
    }
    if (origins.getOrDefault(rule.origin(), Set.of()).size() >= limits.of(rule.origin())) {
      return TableRefusal.ORIGIN_FULL;
    }
    RuleSet set = sets.get(rule.prefix());
    return set != null && set.size() >= limits.perPrefix()
        ? TableRefusal.PREFIX_FULL
        : TableRefusal.OK;
  }

  private void insert(HeldRule held) {
    Rule rule = held.rule();
    RuleSet set = sets.get(rule.prefix());
    if (set == null) {
      set = new RuleSet();
      sets.put(rule.prefix(), set);
      prefixes[rule.prefix().bits()]++;
      lengths.set(rule.prefix().bits());
    }
    set.add(held);
    rules.put(held.key(), held);
    origins.computeIfAbsent(rule.origin(), origin -> new LinkedHashSet<>()).add(held.key());
    ends.add(held);
    watcher.accept(rule.prefix());
  }

  private void remove(HeldRule held) {
    Rule rule = held.rule();
    rules.remove(held.key());
    ends.remove(held);
    RuleSet set = sets.get(rule.prefix());
    set.remove(held);
    if (set.isEmpty()) {
      sets.remove(rule.prefix());
      int bits = rule.prefix().bits();
      lengths.set(bits, --prefixes[bits] > 0);
    }
    Set<Rule.Key> siblings = origins.get(rule.origin());
    siblings.remove(held.key());
    if (siblings.isEmpty()) {
      origins.remove(rule.origin());
    }
    watcher.accept(rule.prefix());
  }

  /** Withdraws a rule. Its rank, weight and lifetime do not matter. False if there is none. */
  public boolean withdraw(Rule rule) {
    HeldRule held = rules.get(rule.key());
    if (held != null) {
      remove(held);
      version++;
    }
    return held != null;
  }

  /** Withdraws all rules of an origin. Returns their number. */
  public int withdraw(Origin origin) {
    List<Rule.Key> keys = new ArrayList<>(origins.getOrDefault(origin, Set.of()));
    keys.forEach(key -> remove(rules.get(key)));
    version += keys.size();
    return keys.size();
  }

  /** Removes the rules whose lifetime is over. Returns their number. */
  public int expire(long now) {
    int removed = 0;
    while (!ends.isEmpty() && !ends.first().rule().liveAt(now)) {
      remove(ends.first());
      removed++;
    }
    version += removed;
    return removed;
  }

  /** Returns the time at which the next rule ends, {@link Rule#FOREVER} if none does. */
  public long nextEnd() {
    return ends.isEmpty() ? Rule.FOREVER : ends.first().rule().until();
  }

  /** Draws one rule for a serviceID, and counts it. Each has the share of its weight. */
  public Resolution draw(ServiceId id, Scope scope, long now, RandomGenerator random) {
    List<HeldRule> counting = counting(id, scope, now);
    if (counting.isEmpty()) {
      return Resolution.NONE;
    }
    HeldRule drawn = counting.size() == 1 ? counting.get(0) : weighted(counting, random);
    drawn.hit();
    return new Resolution(List.of(drawn.rule()));
  }

  private static HeldRule weighted(List<HeldRule> counting, RandomGenerator random) {
    long total = counting.stream().mapToLong(held -> held.rule().share()).sum();
    long left = random.nextLong(total);
    int index = 0;
    while (left >= counting.get(index).rule().share()) {
      left -= counting.get(index).rule().share();
      index++;
    }
    return counting.get(index);
  }

  /** Returns all rules that count for a serviceID, and counts each. */
  public Resolution all(ServiceId id, Scope scope, long now) {
    List<HeldRule> counting = counting(id, scope, now);
    counting.forEach(HeldRule::hit);
    return new Resolution(counting.stream().map(HeldRule::rule).toList());
  }

  private List<HeldRule> counting(ServiceId id, Scope scope, long now) {
    Predicate<HeldRule> eligible =
        held -> held.rule().liveAt(now) && scope.has(held.rule().action());
    int bits = lengths.previousSetBit(ServiceId.BITS);
    while (bits >= 0) {
      RuleSet set = sets.get(new ServicePrefix(id, bits));
      List<HeldRule> counting = set == null ? List.of() : set.counting(eligible);
      if (!counting.isEmpty()) {
        return counting;
      }
      bits = bits == 0 ? -1 : lengths.previousSetBit(bits - 1);
    }
    return List.of();
  }

  /** Returns a copy of the prefixes that have rules, in no order. */
  public List<ServicePrefix> prefixes() {
    return List.copyOf(sets.keySet());
  }

  /**
   * Returns the rules that count for a prefix if its longer ones have none. Empty if it has no
   * rule, or if all have ended.
   */
  public List<Rule> counting(ServicePrefix prefix, long now) {
    RuleSet set = sets.get(prefix);
    return set == null
        ? List.of()
        : set.counting(each -> each.rule().liveAt(now)).stream().map(HeldRule::rule).toList();
  }

  /** Returns the outcomes of all rules that were to be added. */
  public Counts<TableRefusal> refusals() {
    return refusals;
  }

  /** Returns the packets that a rule has decided, 0 if the table does not have it. */
  public long packets(Rule rule) {
    HeldRule held = rules.get(rule.key());
    return held == null ? 0 : held.packets();
  }

  /**
   * Returns the rules whose prefixes a serviceID has: the longest prefix first, and the highest
   * rank of a prefix before others.
   */
  public List<Rule> matching(ServiceId id) {
    List<Rule> matching = new ArrayList<>();
    for (int bits = lengths.length() - 1; bits >= 0; bits--) {
      RuleSet set = lengths.get(bits) ? sets.get(new ServicePrefix(id, bits)) : null;
      if (set != null) {
        set.rules().forEach(held -> matching.add(held.rule()));
      }
    }
    return matching;
  }

  /**
   * Returns the first rules in the order of their prefixes. Looks at each rule once, and sorts no
   * more than it returns.
   */
  public List<Rule> first(int most) {
    PriorityQueue<HeldRule> first = new PriorityQueue<>(HeldRule.BY_PREFIX.reversed());
    for (HeldRule held : rules.values()) {
      if (first.size() < most) {
        first.add(held);
      } else if (most > 0 && HeldRule.BY_PREFIX.compare(held, first.peek()) < 0) {
        first.poll();
        first.add(held);
      }
    }
    return first.stream().sorted(HeldRule.BY_PREFIX).map(HeldRule::rule).toList();
  }

  /** Returns a copy of all rules, in no order. */
  public List<Rule> rules() {
    return rules.values().stream().map(HeldRule::rule).toList();
  }
}
