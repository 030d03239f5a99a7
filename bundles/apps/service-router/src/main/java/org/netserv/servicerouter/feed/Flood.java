// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.TableRefusal;
import org.netserv.servicerouter.core.Announcements;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Routing;

/**
 * Floods the prefixes of this router, and takes and passes on those of others, for routers without
 * a plan of their network. A packet for such a prefix goes back the way of the announcement.
 *
 * <pre>
 *   from a stranger              refused
 *   beyond the rate              refused
 *   broken                       refused
 *   own, or not newer            passed over
 *   newer                        rules toward the sender; hop limit - 1; to the other neighbours
 * </pre>
 */
public final class Flood implements Feeder {
  private static final long MILLIS = 1000;
  private static final int ORIGINS_MOST = 256;

  /** Messages of a neighbour in a second. */
  private static final int RATE = 200;

  /** Announcements with nothing in them, in case some are lost. */
  private static final int EMPTY = 3;

  /** An announcement lives as long as three of them take. */
  private static final int LIVES = 3;

  /**
   * The choices.
   *
   * @param neighbours to which announcements go, and from which they are taken
   * @param id serviceID of all routers
   * @param own address by which neighbours know this router
   * @param hops hop limit of announcements, 1 to 255
   * @param seconds between announcements
   * @param most rules of others
   * @param within tells the prefixes that may become rules
   */
  public record Choice(
      List<Endpoint> neighbours,
      ServiceId id,
      Endpoint own,
      int hops,
      int seconds,
      int most,
      Predicate<ServicePrefix> within) {}

  private final Choice choice;
  private final Routing routing;
  private final Tally<Outcome> tally;
  private final Map<Endpoint, FloodOrigin> origins = new HashMap<>();
  private final Map<Endpoint, Integer> rates = new HashMap<>();
  private Map<ServicePrefix, Integer> announced = Map.of();
  private long sequence;
  private long announceAt = Long.MAX_VALUE;
  private long rateAt;
  private int empty = EMPTY;

  /**
   * Makes a feeder that has announced nothing.
   *
   * @param sequence greater than that of an earlier router here, such as the wall clock's
   *     milliseconds
   */
  public Flood(Choice choice, long sequence, Routing routing, Tally<Outcome> tally) {
    this.choice = choice;
    this.sequence = sequence;
    this.routing = routing;
    this.tally = tally;
  }

  @Override
  public void announced(Announcements announcements, long now) {
    Map<ServicePrefix, Integer> next = announcements.toward(null, now);
    if (!next.equals(announced)) {
      announced = next;
      empty = 0;
      announce(now);
    }
  }

  private void announce(long now) {
    announceAt = now + MILLIS * choice.seconds();
    if (announced.isEmpty() && ++empty >= EMPTY) {
      announceAt = Long.MAX_VALUE;
    }
    int life = LIVES * choice.seconds();
    for (FloodMessage message :
        FloodMessage.of(choice.hops(), ++sequence, choice.own(), life, announced)) {
      pass(message, null);
    }
  }

  private void pass(FloodMessage message, Endpoint except) {
    for (Endpoint neighbour : choice.neighbours()) {
      if (!neighbour.equals(except)) {
        routing.send(choice.id(), neighbour, message.bytes());
      }
    }
  }

  @Override
  public boolean take(Payload payload, long now) {
    if (!FloodMessage.isFor(payload.bytes(), payload.first(), payload.stop())) {
      return false;
    }
    tally.count(taken(payload, now));
    return true;
  }

  private Outcome taken(Payload payload, long now) {
    Endpoint sender = payload.sender();
    if (!choice.neighbours().contains(sender)) {
      return Outcome.FLOOD_STRANGER;
    }
    if (rates.merge(sender, 1, Integer::sum) > RATE) {
      return Outcome.FLOOD_RATE;
    }
    FloodMessage message = FloodMessage.get(payload.bytes(), payload.first(), payload.stop());
    if (message == null) {
      return Outcome.FLOOD_BROKEN;
    }
    FloodOrigin origin = origins.get(message.origin());
    boolean own = message.origin().equals(choice.own());
    if (own || (origin != null && origin.isOld(message))) {
      return Outcome.FLOOD_OLD;
    }
    if (origin == null && origins.size() >= ORIGINS_MOST) {
      return Outcome.FLOOD_FULL;
    }
    learn(message, sender, now);
    if (message.hopLimit() > 1) {
      pass(message.onward(), sender);
    }
    return Outcome.FLOOD_TAKEN;
  }

  private void learn(FloodMessage message, Endpoint sender, long now) {
    FloodOrigin origin = origins.computeIfAbsent(message.origin(), FloodOrigin::new);
    int room = choice.most() - origins.values().stream().mapToInt(FloodOrigin::size).sum();
    List<Rule> rules =
        origin.rules(message, sender, now).stream()
            .filter(rule -> choice.within().test(rule.prefix()))
            .limit(Math.max(0, room))
            .filter(rule -> routing.put(rule, now) == TableRefusal.OK)
            .toList();
    origin.take(message, rules, now).forEach(routing::withdraw);
  }

  @Override
  public void tick(long now) {
    if (now >= announceAt) {
      announce(now);
    }
    if (now >= rateAt) {
      rateAt = now + MILLIS;
      rates.clear();
      origins.values().removeIf(origin -> origin.isOver(now));
    }
  }

  @Override
  public void end(boolean forGood, long now) {
    if (forGood && !announced.isEmpty()) {
      announced = Map.of();
      announce(now);
    }
  }
}
