// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.http.FieldSection;
import org.netserv.http.cache.CacheStatus;

/**
 * The exchanges that wait for the head of a fetch: the one that leads, and its followers. Each is
 * told once, and then forgotten.
 */
final class Audience {
  private final Edge edge;
  private final CacheStatus.Forward why;
  private final List<Exchange> waiting = new ArrayList<>();
  private Exchange leader; // null = it has left, or there was none

  /**
   * Makes an empty audience.
   *
   * @param why the reason of the fetch, for Cache-Status
   */
  Audience(Edge edge, CacheStatus.Forward why) {
    this.edge = edge;
    this.why = why;
  }

  void lead(Exchange first) {
    leader = first;
  }

  void add(Exchange exchange) {
    waiting.add(exchange);
  }

  /** The exchange that leads, or null. */
  Exchange leader() {
    return leader;
  }

  boolean isEmpty() {
    return leader == null && waiting.isEmpty();
  }

  /** Forgets an exchange, and tells whether it has led. */
  boolean leave(Exchange exchange) {
    waiting.remove(exchange);
    if (leader != exchange) {
      return false;
    }
    leader = null;
    return true;
  }

  /** Takes the exchange that leads out, or returns null. */
  Exchange takeLeader() {
    Exchange first = leader;
    leader = null;
    return first;
  }

  private List<Exchange> takeWaiting() {
    List<Exchange> others = List.copyOf(waiting);
    waiting.clear();
    return others;
  }

  /** Sends all followers on their own way. */
  void disperse() {
    takeWaiting().forEach(other -> other.dispatch(true));
  }

  /** Lets the followers read along, or sends them on their own way. */
  void share(Key key, Entry entry, FieldSection response) {
    Map<ByteBuffer, Fill> groups = new HashMap<>();
    for (Exchange other : takeWaiting()) {
      if (!other.isMatch(entry)) {
        group(key, other, response, groups);
      } else if (!other.share(entry, why)) {
        other.dispatch(true);
      }
    }
  }

  /** Begins one fetch for all exchanges that ask for the same variant (RFC 9111, 4.1). */
  private void group(Key key, Exchange other, FieldSection response, Map<ByteBuffer, Fill> groups) {
    edge.matcher.compute(response, other.fields());
    ByteBuffer variant = ByteBuffer.wrap(edge.matcher.copy());
    Fill group = groups.get(variant);
    if (group == null) {
      groups.put(variant, other.lead(key));
    } else {
      other.follow(group);
    }
  }

  /** Sends the stale response in place of an error to each exchange that may have it. */
  void standIn(Entry stale, int status) {
    if (leader != null && leader.standIn(stale, status, why)) {
      leader = null;
    }
    for (Exchange other : takeWaiting()) {
      if (!other.standIn(stale, status, why)) {
        waiting.add(other);
      }
    }
  }

  void refuse(Refusal refusal) {
    Exchange first = takeLeader();
    List<Exchange> others = takeWaiting();
    if (first != null) {
      first.refuse(refusal);
    }
    others.forEach(other -> other.refuse(refusal));
  }
}
