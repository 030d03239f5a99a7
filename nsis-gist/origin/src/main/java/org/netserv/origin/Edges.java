// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.health.Health;
import org.netserv.origin.health.HealthPort;
import org.netserv.origin.place.Places;
import org.netserv.origin.route.Edge;
import org.netserv.origin.route.EdgeUrl;
import org.netserv.origin.route.Routes;
import org.netserv.origin.settings.OriginConfig;
import org.netserv.origin.users.Users;
import org.netserv.values.Prefix;

/**
 * The nodes to which users may be sent: they run the module, and the module answers. Makes new
 * {@link Routes} when that changes. Belongs to the director's thread.
 */
final class Edges {
  private final EdgeUrl users;
  private final EdgeUrl checks;
  private final Coverage coverage;
  private final Users prefixes;
  private final Places places;
  private final Health health;
  private boolean changed = true;
  private Map<String, String> checked = Map.of();
  private long now;

  /** No nodes. */
  Edges(
      OriginConfig.Edges settings,
      Coverage coverage,
      Users prefixes,
      Places places,
      HealthPort port,
      Counters counters) {
    this.users = new EdgeUrl(settings.url());
    this.checks = new EdgeUrl(settings.checked());
    this.coverage = coverage;
    this.prefixes = prefixes;
    this.places = places;
    this.health = new Health(port, settings.checkInterval() * 1000L, counters, new Watch());
  }

  /** Hears of modules. A module that ceases to answer may have left with its node. */
  private final class Watch implements Health.Listener {
    @Override
    public void up(String nodeId) {
      changed = true;
    }

    @Override
    public void down(String nodeId) {
      changed = true;
      coverage.doubt(nodeId, now);
    }
  }

  /** A node, a path or a place is another one than before. */
  void changed() {
    changed = true;
  }

  /** Checks the modules that are due. Returns new routes if there are any. */
  Optional<Routes> turn(long time) {
    now = time;
    Map<String, String> running = new LinkedHashMap<>();
    for (Coverage.NodeView node : coverage.nodes()) {
      if (node.runs() && node.at() != null) {
        running.put(node.id(), checks.of(node.id(), node.at()));
      }
    }
    changed |= !running.equals(checked);
    checked = running;
    health.turn(running, time);
    if (!changed) {
      return Optional.empty();
    }
    changed = false;
    return Optional.of(routes());
  }

  private Routes routes() {
    Map<String, Edge> edges = new LinkedHashMap<>();
    Set<InetAddress> addresses = new HashSet<>();
    for (Coverage.NodeView node : coverage.nodes()) {
      if (node.at() != null) {
        addresses.add(node.at());
        if (node.runs() && health.answers(node.id())) {
          String base = users.of(node.id(), node.at());
          edges.put(node.id(), new Edge(node.id(), base, places.find(node.at())));
        }
      }
    }
    Map<Prefix, Edge> onPath = new HashMap<>();
    prefixes.each(
        (prefix, address) ->
            coverage
                .coveringId(address)
                .map(edges::get)
                .ifPresent(edge -> onPath.put(prefix, edge)));
    return new Routes(onPath, new ArrayList<>(edges.values()), addresses);
  }

  int prefixes() {
    return prefixes.size();
  }

  String health(String nodeId) {
    return health.state(nodeId);
  }

  String url(String nodeId, InetAddress at) {
    return users.of(nodeId, at);
  }
}
