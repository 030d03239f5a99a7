// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.route;

import java.net.InetAddress;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.place.Place;
import org.netserv.origin.place.Places;
import org.netserv.origin.route.Decision.Reason;
import org.netserv.origin.users.Grouping;
import org.netserv.origin.users.Visits;
import org.netserv.values.Prefix;

/**
 * Decides where a user is served, from what is known at this moment. It waits for nothing.
 *
 * <pre>
 *   1. the node on the path to the user's prefix, unless its place is known to be far
 *   2. the nearest node whose place is near
 *   3. the node on the path, although it is far
 *   4. the web server
 * </pre>
 *
 * <p>In all cases but the second the prefix is noted, so that its path is asked for a node. Safe
 * for several threads.
 */
public final class Director {
  private final Grouping grouping;
  private final Places places;
  private final double nearKm;
  private final Visits visits;
  private final Counters counters;
  private volatile Routes routes = Routes.NONE;

  /** Knows no nodes. */
  public Director(
      Grouping grouping, Places places, double nearKm, Visits visits, Counters counters) {
    this.grouping = grouping;
    this.places = places;
    this.nearKm = nearKm;
    this.visits = visits;
    this.counters = counters;
  }

  /** Decides by other nodes from now on. */
  public void use(Routes next) {
    routes = next;
  }

  /** Decides about one request. */
  public Decision decide(InetAddress user) {
    Routes now = routes;
    if (!Grouping.user(user)) {
      counters.add(OriginCounter.ASKED_ODD);
      return Decision.here(Reason.ODD);
    }
    if (now.nodes().contains(user)) {
      counters.add(OriginCounter.ASKED_BY_NODES);
      return Decision.here(Reason.NODE);
    }
    Prefix prefix = grouping.of(user);
    Edge onPath = now.onPath().get(prefix);
    Edge near = isFar(onPath, user) ? nearest(now, user) : null;
    if (near != null) {
      visits.sent(near.nodeId());
      counters.add(OriginCounter.SENT_NEAR);
      return new Decision(near, Reason.NEAR);
    }
    visits.came(prefix, user);
    counters.add(onPath == null ? OriginCounter.SERVED : OriginCounter.SENT_ON_PATH);
    return onPath == null ? Decision.here(Reason.NONE) : new Decision(onPath, Reason.ON_PATH);
  }

  /** Tells whether there is no node on the path, or its place is known to be far. */
  private boolean isFar(Edge onPath, InetAddress user) {
    if (onPath == null || onPath.place() == null) {
      return onPath == null;
    }
    Place at = places.find(user);
    return at != null && at.kilometres(onPath.place()) > nearKm;
  }

  private Edge nearest(Routes now, InetAddress user) {
    if (now.edges().isEmpty()) {
      return null;
    }
    Place at = places.find(user);
    Edge nearest = null;
    double least = nearKm;
    for (Edge edge : now.edges()) {
      double away =
          at == null || edge.place() == null ? Double.MAX_VALUE : at.kilometres(edge.place());
      if (away <= least) {
        nearest = edge;
        least = away;
      }
    }
    return nearest;
  }
}
