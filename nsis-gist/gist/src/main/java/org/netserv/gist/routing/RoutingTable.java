// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.netserv.gist.GistCounters;

/**
 * The routing state of a node: one machine for each flow, session, application and direction (RFC
 * 5971 section 4.2.1).
 */
final class RoutingTable {
  private final Map<RoutingKey, RoutingState> states = new HashMap<>();
  private final StateShares shares;
  // Read by other threads as gauges; written by the GIST thread.
  private final AtomicInteger querying = new AtomicInteger();
  private final AtomicInteger responding = new AtomicInteger();

  /**
   * Creates an empty table.
   *
   * @param most states of both kinds
   */
  RoutingTable(int most, GistCounters counters) {
    shares = new StateShares(most);
    counters.gauge("states-querying", querying::get);
    counters.gauge("states-responding", responding::get);
  }

  int size() {
    return states.size();
  }

  /** Returns the state, or null when there is none. */
  RoutingState find(RoutingKey key) {
    return states.get(key);
  }

  /** Returns whether a peer of that address may have another state here. */
  boolean room(InetAddress peer) {
    return shares.room(peer, states.size());
  }

  void add(RoutingState state) {
    if (states.putIfAbsent(state.key(), state) != null) {
      throw new IllegalStateException("two states of one key");
    }
    gauge(state, 1);
    if (state.countedFor() != null) {
      shares.add(state.countedFor());
    }
  }

  /** Removes a state. Does nothing when it is not there any more. */
  void remove(RoutingState state) {
    if (states.remove(state.key(), state)) {
      gauge(state, -1);
      if (state.countedFor() != null) {
        shares.remove(state.countedFor());
      }
    }
  }

  /**
   * Returns a copy of the matching states, because the caller may change the table while it uses
   * them.
   */
  List<RoutingState> select(Predicate<RoutingKey> which) {
    List<RoutingState> selected = new ArrayList<>();
    states.forEach(
        (key, state) -> {
          if (which.test(key)) {
            selected.add(state);
          }
        });
    return selected;
  }

  private void gauge(RoutingState state, int change) {
    AtomicInteger gauge = state.isQuerying() ? querying : responding;
    gauge.lazySet(gauge.getPlain() + change);
  }
}
