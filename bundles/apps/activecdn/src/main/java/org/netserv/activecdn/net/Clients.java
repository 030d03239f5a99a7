// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.Why;

/** The connections of clients, and how many each address has. */
final class Clients {
  final Edge edge;
  final ServerSettings settings;

  private final Set<ClientConnection> open = new LinkedHashSet<>();
  private final Map<String, Integer> shares = new HashMap<>();

  Clients(Edge edge, ServerSettings settings) {
    this.edge = edge;
    this.settings = settings;
  }

  /** Takes a connection, or counts the reason against it. */
  boolean add(ClientConnection connection) {
    int share = shares.getOrDefault(connection.address(), 0);
    if (open.size() >= settings.connections()) {
      edge.count(Why.CONNECTIONS_FULL);
      return false;
    }
    if (share >= settings.share()) {
      edge.count(Why.CONNECTIONS_SHARE);
      return false;
    }
    edge.count(Why.ACCEPTED);
    open.add(connection);
    shares.put(connection.address(), share + 1);
    return true;
  }

  void remove(ClientConnection connection) {
    if (open.remove(connection)) {
      shares.computeIfPresent(
          connection.address(), (address, share) -> share == 1 ? null : share - 1);
    }
  }

  /** Ends what has waited for too long. */
  void sweep() {
    long now = edge.time().ticks();
    for (ClientConnection connection : List.copyOf(open)) {
      connection.sweep(now);
    }
  }

  void close() {
    List.copyOf(open).forEach(ClientConnection::close);
  }

  int count() {
    return open.size();
  }
}
