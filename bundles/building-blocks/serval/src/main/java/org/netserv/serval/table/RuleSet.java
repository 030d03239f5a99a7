// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * The rules of one prefix, the highest rank first. Most prefixes have one rule, so the list begins
 * with room for one, and is sorted by inserting.
 */
final class RuleSet {
  private final List<HeldRule> rules = new ArrayList<>(1);

  boolean isEmpty() {
    return rules.isEmpty();
  }

  int size() {
    return rules.size();
  }

  /** Returns the rules, the highest rank first. */
  List<HeldRule> rules() {
    return rules;
  }

  void add(HeldRule rule) {
    rules.add(-Collections.binarySearch(rules, rule, HeldRule.BY_RANK) - 1, rule);
  }

  void remove(HeldRule rule) {
    rules.remove(Collections.binarySearch(rules, rule, HeldRule.BY_RANK));
  }

  /**
   * Returns the rules that count: those of the highest rank that has any. A DROP among them counts
   * alone, and so does a DELAY without a DROP. A target that several origins give counts once, with
   * the greatest of its weights.
   */
  List<HeldRule> counting(Predicate<HeldRule> eligible) {
    List<HeldRule> counting = new ArrayList<>();
    for (HeldRule held : rules) { // by rank, action and target, the greatest weight first
      if (!eligible.test(held)) {
        continue;
      }
      if (counting.isEmpty()) {
        counting.add(held);
        continue;
      }
      HeldRule last = counting.get(counting.size() - 1);
      if (!held.rule().rank().equals(last.rule().rank()) || alone(last)) {
        break;
      }
      if (!sameTarget(held, last)) {
        counting.add(held);
      }
    }
    return counting;
  }

  private static boolean alone(HeldRule held) {
    RuleAction action = held.rule().action();
    return action == RuleAction.DROP || action == RuleAction.DELAY;
  }

  private static boolean sameTarget(HeldRule one, HeldRule other) {
    return one.rule().action() == other.rule().action()
        && one.rule().target().equals(other.rule().target());
  }
}
