// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.Why;
import org.netserv.http.Field;
import org.netserv.http.HeadWriter;

/** The connections of clients, and how many each address has. */
final class Clients {
  final Edge edge;
  final ServerSettings settings;

  private final Set<Swept> open = new LinkedHashSet<>();
  private final Map<String, Integer> shares = new HashMap<>();
  private int places; // that are taken

  Clients(Edge edge, ServerSettings settings) {
    this.edge = edge;
    this.settings = settings;
  }

  /** Gives a connection a place until it leaves, or counts that there is none. */
  boolean enter() {
    if (places >= settings.connections()) {
      edge.count(Why.CONNECTIONS_FULL);
      return false;
    }
    places++;
    return true;
  }

  /** Admits a connection that has a place, or counts that its client has too many. */
  boolean share(String address) {
    int share = shares.getOrDefault(address, 0);
    if (share >= settings.share()) {
      edge.count(Why.CONNECTIONS_SHARE);
      return false;
    }
    edge.count(Why.ACCEPTED);
    shares.put(address, share + 1);
    return true;
  }

  /**
   * Forgets a connection that had a place.
   *
   * @param address of its client, null if it was not admitted
   */
  void leave(String address) {
    places--;
    if (address != null) {
      shares.computeIfPresent(address, (any, share) -> share == 1 ? null : share - 1);
    }
  }

  void add(Swept connection) {
    open.add(connection);
  }

  void remove(Swept connection) {
    open.remove(connection);
  }

  /** Begins the head of a text that refuses a request without an exchange. */
  HeadWriter refusal(int status, int length) {
    return new HeadWriter(512)
        .begin()
        .status(status)
        .date(Field.DATE, Math.floorDiv(edge.time().wall(), 1000L))
        .field(Field.CONTENT_TYPE, "text/plain")
        .field(Field.CONTENT_LENGTH, length);
  }

  /** Ends everything that has waited for too long. */
  void sweep() {
    long now = edge.time().ticks();
    for (Swept connection : List.copyOf(open)) {
      connection.sweep(now);
    }
  }

  void close() {
    List.copyOf(open).forEach(Swept::close);
  }

  /** Connections that have a place. */
  int count() {
    return places;
  }
}
