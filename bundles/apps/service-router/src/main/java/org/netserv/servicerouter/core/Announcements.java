// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Aggregation;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;

/**
 * The prefixes that a router tells others, aggregated. They are those of its properties and of its
 * registrations. A router never tells again what a feeder has told it, so nothing outlives its
 * origin by a circle of routers.
 */
public final class Announcements {
  private static final Set<Origin.Kind> OWN =
      EnumSet.of(Origin.Kind.MODULE, Origin.Kind.REGISTRATION);

  private final ServiceTable table;
  private final Aggregation.Choice choice;
  private final Tally<Outcome> tally;

  Announcements(ServiceTable table, Aggregation.Choice choice, Tally<Outcome> tally) {
    this.table = table;
    this.choice = choice;
    this.tally = tally;
  }

  /**
   * Returns the prefixes with the sums of the weights of their rules.
   *
   * @param except the address that hears of them, so rules that lead there are left out; null for
   *     none
   */
  public Map<ServicePrefix, Integer> toward(Endpoint except, long now) {
    Map<ServicePrefix, Integer> known = new HashMap<>();
    for (Rule rule : table.rules()) {
      boolean own = rule.action() == RuleAction.FORWARD && OWN.contains(rule.origin().kind());
      if (own && rule.liveAt(now) && !rule.target().address().equals(except)) {
        int weight = Math.max(1, rule.weight());
        known.merge(rule.prefix(), weight, (a, b) -> Math.min(Rule.MOST_WEIGHT, a + b));
      }
    }
    Aggregation result = Aggregation.of(known, choice);
    for (int i = 0; i < result.left(); i++) {
      tally.count(Outcome.ANNOUNCE_LEFT);
    }
    return result.prefixes();
  }
}
