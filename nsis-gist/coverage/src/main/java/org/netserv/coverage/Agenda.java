// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.netserv.coverage.path.PathBudget;

/**
 * Everything that is due, in the order of its time, and the delays until it is due again. Nodes go
 * before addresses. Belongs to the coverage's thread. Times are milliseconds since 1970.
 */
final class Agenda {
  private static final long FIRST_PAUSE = 1_000;
  private static final long LONGEST_PAUSE = 60_000;

  private final Coverage.Settings settings;
  private final RandomGenerator random;
  private final NavigableSet<Due> nodes = new TreeSet<>(Due.BY_TIME);
  private final NavigableSet<Due> addresses = new TreeSet<>(Due.BY_TIME);
  private long items;
  private long now;

  Agenda(Coverage.Settings settings, RandomGenerator random) {
    this.settings = settings;
    this.random = random;
  }

  /** Sets the time. */
  void at(long time) {
    now = time;
  }

  long now() {
    return now;
  }

  /** Returns a number for a new address or node. Of two that are due together the older goes. */
  long number() {
    return items++;
  }

  /** Acts on what is due, as far as the budget allows. */
  void turn(PathBudget budget, Consumer<EdgeNode> node, Consumer<CoveredAddress> address) {
    turn(nodes, budget, item -> node.accept((EdgeNode) item));
    turn(addresses, budget, item -> address.accept((CoveredAddress) item));
  }

  private void turn(NavigableSet<Due> due, PathBudget budget, Consumer<Due> act) {
    while (!due.isEmpty() && due.first().due <= now && budget.take(now)) {
      act.accept(due.pollFirst());
    }
  }

  void schedule(Due item, long time) {
    NavigableSet<Due> due = of(item);
    due.remove(item);
    item.due = time;
    due.add(item);
  }

  void cancel(Due item) {
    of(item).remove(item);
  }

  private NavigableSet<Due> of(Due item) {
    return item instanceof EdgeNode ? nodes : addresses;
  }

  /** Returns a pause that doubles with each failure in a row. Counts one more failure. */
  long pause(Due item) {
    long pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(item.failures, 6));
    item.failures++;
    return pause + random.nextLong(pause / 2);
  }

  /** Returns the time from a SETUP that was answered to the next. */
  long refresh() {
    return settings.ttl() / 3 + random.nextLong(Math.max(1, settings.ttl() / 6));
  }

  /** Returns the time from one PROBE of a covered path to the next. */
  long check() {
    return spread(settings.check());
  }

  /** Returns the time until a bare path, or a node that refused, is asked again. */
  long retry() {
    return spread(settings.retry());
  }

  private long spread(long time) {
    return time - random.nextLong(Math.max(1, time / 8));
  }

  /** Returns a moment within the next second. */
  long soon() {
    return now + random.nextLong(FIRST_PAUSE);
  }
}
