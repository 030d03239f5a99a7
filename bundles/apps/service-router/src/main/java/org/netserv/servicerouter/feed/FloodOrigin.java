// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.core.Preference;

/**
 * The state of one router whose announcements have come: the newest sequence number of each part,
 * and its rules. The rules lead to the neighbour that was the first to bring the part.
 */
final class FloodOrigin {
  private static final long MILLIS = 1000;

  private record Part(long sequence, List<Rule> rules) {}

  private final Origin origin;
  private final Map<Integer, Part> parts = new HashMap<>();
  private long until;

  FloodOrigin(Endpoint router) {
    String name = Long.toHexString(router.high()) + ":" + Long.toHexString(router.low());
    origin = new Origin(Origin.Kind.FLOOD, name + ":" + router.port());
  }

  /** Tells whether a message is no newer than the last one of its part. */
  boolean isOld(FloodMessage message) {
    Part part = parts.get(message.part());
    return part != null && message.sequence() <= part.sequence();
  }

  /** Returns the rules of a message that comes from a neighbour. The nearest router comes first. */
  List<Rule> rules(FloodMessage message, Endpoint neighbour, long now) {
    List<Rule> rules = new ArrayList<>();
    for (Map.Entry<ServicePrefix, Integer> each : message.prefixes().entrySet()) {
      rules.add(
          new Rule(
              each.getKey(),
              RuleAction.FORWARD,
              Target.address(neighbour),
              new Rank(Preference.FLOOD, message.hopLimit()),
              each.getValue(),
              origin,
              now + MILLIS * message.seconds()));
    }
    return rules;
  }

  /**
   * Takes the rules of a message in the place of those of its part.
   *
   * @return the rules that are gone
   */
  List<Rule> take(FloodMessage message, List<Rule> rules, long now) {
    until = Math.max(until, now + MILLIS * message.seconds());
    List<Rule> gone = new ArrayList<>();
    Part former = parts.put(message.part(), new Part(message.sequence(), rules));
    if (former != null) {
      gone.addAll(former.rules());
    }
    parts
        .entrySet()
        .removeIf(
            each -> {
              boolean beyond =
                  each.getKey() >= message.parts()
                      && each.getValue().sequence() < message.sequence();
              if (beyond) {
                gone.addAll(each.getValue().rules());
              }
              return beyond;
            });
    gone.removeIf(old -> rules.stream().anyMatch(rule -> isSame(rule, old)));
    return gone;
  }

  private static boolean isSame(Rule one, Rule other) {
    return one.prefix().equals(other.prefix()) && one.target().equals(other.target());
  }

  /** Returns the number of rules. */
  int size() {
    return parts.values().stream().mapToInt(part -> part.rules().size()).sum();
  }

  boolean isOver(long now) {
    return now >= until;
  }
}
