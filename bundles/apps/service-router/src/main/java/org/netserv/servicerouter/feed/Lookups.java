// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.netserv.packet.Tally;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Preference;
import org.netserv.servicerouter.core.Routing;

/**
 * Looks a serviceID up when a packet waits for it because of a DELAY. The DELAY holds the packet
 * until the answer comes.
 *
 * <pre>
 *   a packet waits    known as unknown          -> dropped
 *                     looked up already         -> waits for that answer
 *                     too many look-ups         -> waits for its time, the client asks again
 *                     else                      -> looked up
 *   answer            found, and a rule fits    -> rules; the packets go on
 *                     none                      -> dropped, and known as unknown for a while
 *                     failed                    -> waits for its time, the client asks again
 * </pre>
 */
public final class Lookups implements Feeder {
  private static final long MILLIS = 1000;

  /** Seconds for which no answer counts longer, and seconds of an unknown serviceID. */
  private static final long FOUND_MOST = 3600;

  private static final long NONE_MOST = 60;

  private static final int UNKNOWN_MOST = 4096;
  private static final int TARGETS_MOST = 16;

  private final List<ServicePrefix> prefixes;
  private final int most;
  private final Origin origin;
  private final Resolver resolver;
  private final Routing routing;
  private final LongSupplier clock;
  private final Tally<Outcome> tally;
  private final Set<ServiceId> pending = new HashSet<>();
  private final Map<ServiceId, Long> unknown = new LinkedHashMap<>();

  /**
   * Makes a feeder that has looked nothing up.
   *
   * @param prefixes in which serviceIDs are looked up; no rule is shorter than these
   * @param most look-ups at once
   * @param zone tells the origin of the rules
   */
  public Lookups(
      List<ServicePrefix> prefixes,
      int most,
      String zone,
      Resolver resolver,
      Routing routing,
      LongSupplier clock,
      Tally<Outcome> tally) {
    this.prefixes = List.copyOf(prefixes);
    this.most = most;
    origin = new Origin(Origin.Kind.DNS, zone);
    this.resolver = resolver;
    this.routing = routing;
    this.clock = clock;
    this.tally = tally;
  }

  /** Returns the length of the longest prefix in which a serviceID is looked up, -1 if in none. */
  private int least(ServiceId id) {
    return prefixes.stream()
        .filter(each -> each.matches(id))
        .mapToInt(ServicePrefix::bits)
        .max()
        .orElse(-1);
  }

  @Override
  public void wanted(ServiceId id, long now) {
    if (least(id) < 0 || pending.contains(id)) {
      return;
    }
    if (unknown.getOrDefault(id, now) > now) {
      routing.refuse(id);
      return;
    }
    unknown.remove(id);
    if (pending.size() >= most) {
      tally.count(Outcome.LOOKUP_FULL);
      return;
    }
    pending.add(id);
    tally.count(Outcome.LOOKUP_ASKED);
    resolver.resolve(id, answer -> answered(id, answer, clock.getAsLong()));
  }

  private void answered(ServiceId id, Resolver.Answer answer, long now) {
    if (!pending.remove(id)) {
      return;
    }
    switch (answer.status()) {
      case FOUND -> found(id, answer.found(), now);
      case NONE -> none(id, answer.seconds(), now);
      case FAILED -> tally.count(Outcome.LOOKUP_FAILED);
    }
  }

  private void found(ServiceId id, List<Resolver.Found> all, long now) {
    int taken = 0;
    for (Resolver.Found found : all.subList(0, Math.min(TARGETS_MOST, all.size()))) {
      taken += routing.put(rule(id, found, now), now) == TableRefusal.OK ? 1 : 0;
    }
    if (taken == 0) {
      none(id, 1, now);
    } else {
      tally.count(Outcome.LOOKUP_FOUND);
    }
  }

  private Rule rule(ServiceId id, Resolver.Found found, long now) {
    return new Rule(
        new ServicePrefix(id, Math.max(found.bits(), least(id))),
        RuleAction.FORWARD,
        Target.address(found.target()),
        new Rank(Preference.DNS, found.priority()),
        found.weight(),
        origin,
        now + MILLIS * Math.max(1, Math.min(FOUND_MOST, found.seconds())));
  }

  private void none(ServiceId id, long seconds, long now) {
    long until = now + MILLIS * Math.max(1, Math.min(NONE_MOST, seconds));
    if (unknown.size() >= UNKNOWN_MOST) {
      unknown.remove(unknown.keySet().iterator().next());
    }
    unknown.put(id, until);
    routing.refuse(id);
  }

  @Override
  public void end(boolean forGood, long now) {
    resolver.close();
  }
}
