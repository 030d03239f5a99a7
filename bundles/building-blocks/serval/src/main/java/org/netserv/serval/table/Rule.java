// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import org.netserv.serval.ServicePrefix;

/**
 * A rule of the service table. Prefix, action, target and origin name it: the same four replace the
 * rule that is there.
 *
 * @param prefix the serviceIDs
 * @param action {@link RuleAction}
 * @param target suits the action
 * @param rank {@link Rank}
 * @param weight the share of the target among those of its rank, 0 to {@link #MOST_WEIGHT}; 0
 *     counts as 1
 * @param origin the giver
 * @param until the time at which the rule ends, {@link #FOREVER} if never
 */
public record Rule(
    ServicePrefix prefix,
    RuleAction action,
    Target target,
    Rank rank,
    int weight,
    Origin origin,
    long until) {
  public static final int MOST_WEIGHT = 0xffff;
  public static final long FOREVER = Long.MAX_VALUE;

  /** The parts of a rule that name it. */
  record Key(ServicePrefix prefix, RuleAction action, Target target, Origin origin) {}

  Key key() {
    return new Key(prefix, action, target, origin);
  }

  /** Returns the weight that counts. */
  int share() {
    return Math.max(1, weight);
  }

  /** Tells whether a rule with the same key differs in its lifetime at most. */
  boolean isLike(Rule other) {
    return rank.equals(other.rank) && weight == other.weight;
  }

  /** Tells whether the lifetime is not over. */
  public boolean liveAt(long now) {
    return now < until;
  }
}
