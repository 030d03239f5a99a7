// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.users;

import java.net.InetAddress;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.values.Prefix;

/**
 * Users that came since the last look, each prefix once, on their way from the threads that answer
 * the web server to the director's thread. Safe for several threads; {@link #take} is called on the
 * director's alone.
 */
public final class Visits {
  private final Map<Prefix, InetAddress> prefixes = new ConcurrentHashMap<>();
  private final Set<String> nodes = ConcurrentHashMap.newKeySet();
  private final int most;
  private final Counters counters;

  /** No visits, and room for so many prefixes. */
  public Visits(int most, Counters counters) {
    this.most = most;
    this.counters = counters;
  }

  /** A user came, and is served by the web server or by the node on the path. */
  public void came(Prefix prefix, InetAddress user) {
    if (prefixes.containsKey(prefix)) {
      return;
    }
    if (prefixes.size() >= most) {
      counters.add(OriginCounter.VISITS_FULL);
      return;
    }
    prefixes.putIfAbsent(prefix, user);
  }

  /** A user was sent to a node that is near and not on the path. */
  public void sent(String nodeId) {
    nodes.add(nodeId);
  }

  /** Hands all visits over, and forgets them. */
  public void take(BiConsumer<Prefix, InetAddress> user, Consumer<String> node) {
    for (Iterator<Map.Entry<Prefix, InetAddress>> all = prefixes.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Prefix, InetAddress> visit = all.next();
      all.remove();
      user.accept(visit.getKey(), visit.getValue());
    }
    for (Iterator<String> all = nodes.iterator(); all.hasNext(); ) {
      String id = all.next();
      all.remove();
      node.accept(id);
    }
  }
}
