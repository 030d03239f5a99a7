// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.Comparator;

/** A rule in the table, with its number in order of arrival and its counter. */
final class HeldRule {
  /** The order within a prefix: rank, DROP and DELAY first, target, the greatest weight. */
  static final Comparator<HeldRule> BY_RANK =
      Comparator.comparing((HeldRule held) -> held.rule.rank())
          .thenComparing(held -> held.rule.action(), Comparator.reverseOrder())
          .thenComparing(held -> held.rule.target())
          .thenComparing(held -> held.rule.share(), Comparator.reverseOrder())
          .thenComparingLong(held -> held.number);

  /** The order in which an operator sees rules: by prefix, the shorter one first. */
  static final Comparator<HeldRule> BY_PREFIX =
      Comparator.comparing((HeldRule held) -> held.rule.prefix().id())
          .thenComparingInt(held -> held.rule.prefix().bits())
          .thenComparing(BY_RANK);

  /** The order in which rules end. */
  static final Comparator<HeldRule> BY_END =
      Comparator.comparingLong((HeldRule held) -> held.rule.until())
          .thenComparingLong(held -> held.number);

  private final Rule rule;
  private final Rule.Key key;
  private final long number;
  private long packets;

  HeldRule(Rule rule, long number, long packets) {
    this.rule = rule;
    key = rule.key();
    this.number = number;
    this.packets = packets;
  }

  Rule rule() {
    return rule;
  }

  /** Returns the key of the rule, the same object each time. */
  Rule.Key key() {
    return key;
  }

  /** Counts a packet that the rule decided. */
  void hit() {
    packets++;
  }

  long packets() {
    return packets;
  }
}
