// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.ArrayList;
import java.util.List;
import org.netserv.packet.Tally;
import org.netserv.serval.ServiceId;
import org.netserv.serval.table.Aggregation;
import org.netserv.serval.table.ServiceTable;

/** The feeders of a router. Tells them when the announcements of the router change. */
final class FeederDesk {
  /** Milliseconds between announcements, so that many changes make one. */
  private static final int ANNOUNCE_MILLIS = 100;

  private final ServiceTable table;
  private final Tally<Outcome> tally;
  private final List<Feeder> feeders = new ArrayList<>();
  private Announcements announcements;
  private long announced = -1; // version of the table
  private long announceAt = Long.MIN_VALUE;

  FeederDesk(ServiceTable table, Tally<Outcome> tally) {
    this.table = table;
    this.tally = tally;
  }

  void add(List<Feeder> more, Aggregation.Choice choice) {
    announcements = new Announcements(table, choice, tally);
    feeders.addAll(more);
  }

  boolean isEmpty() {
    return feeders.isEmpty();
  }

  /** Gives a payload to the feeder that wants it. False if none does. */
  boolean take(Feeder.Payload payload, long now) {
    return feeders.stream().anyMatch(feeder -> feeder.take(payload, now));
  }

  /** A packet to this serviceID waits. */
  void wanted(ServiceId id, long now) {
    feeders.forEach(feeder -> feeder.wanted(id, now));
  }

  void tick(long now) {
    feeders.forEach(feeder -> feeder.tick(now));
    if (table.version() != announced && now >= announceAt) {
      announced = table.version();
      announceAt = now + ANNOUNCE_MILLIS;
      feeders.forEach(feeder -> feeder.announced(announcements, now));
    }
  }

  void end(boolean forGood, long now) {
    feeders.forEach(feeder -> feeder.end(forGood, now));
  }
}
