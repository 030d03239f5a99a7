// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.netserv.process.RateLimit;

/**
 * Decides which connections a container may have. A uid has at most {@link #CONNECTIONS} at a time:
 * a connection that has greeted, and one on its way. While the first is open no other can greet, so
 * that a module that connects by itself cannot take the agent's place. Safe on any thread.
 */
final class AgentDoor {
  /** Connections of one uid at a time. */
  static final int CONNECTIONS = 2;

  /**
   * Connections of one uid a minute. After that, one more is allowed each five seconds, the longest
   * pause of an agent.
   */
  static final int PER_MINUTE = 12;

  /** Uids with a pace that is remembered beyond their connections. */
  private static final int UIDS = 8192;

  private final RateLimit rate = new RateLimit();
  private final Map<Long, Inside> inside = new HashMap<>();
  private final Map<Long, Pace> paces =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Pace> eldest) {
          return size() > UIDS;
        }
      };

  /**
   * Decides about a new connection.
   *
   * @param crowded the controller is short of memory or connections, so that each uid has one at
   *     most
   * @param now monotonic milliseconds
   * @return the reason of a refusal; if empty, {@link #leaves} is owed for the connection
   */
  synchronized Optional<Misdeed> enters(long uid, boolean crowded, long now) {
    Inside own = inside.get(uid);
    if (own != null && crowded) {
      return Optional.of(Misdeed.OVERLOAD);
    }
    if (own != null && own.connections >= CONNECTIONS) {
      return Optional.of(Misdeed.CONNECTIONS);
    }
    if (!rate.take(Long.toString(uid), PER_MINUTE, now)) {
      return Optional.of(Misdeed.CONNECT_RATE);
    }
    inside.computeIfAbsent(uid, u -> new Inside()).connections++;
    return Optional.empty();
  }

  /**
   * Takes the hello of an admitted connection. Returns true if the connection is that of the
   * container's agent from now on.
   */
  synchronized boolean greets(long uid) {
    Inside own = inside.get(uid);
    if (own.greeted) {
      return false;
    }
    own.greeted = true;
    return true;
  }

  /** Records the end of the connection that had greeted. */
  synchronized void parts(long uid) {
    inside.get(uid).greeted = false;
  }

  /** Records the end of an admitted connection. */
  synchronized void leaves(long uid) {
    Inside own = inside.get(uid);
    own.connections--;
    if (own.connections == 0) {
      inside.remove(uid);
    }
  }

  /**
   * Charges a uid for a frame that has come. The cost outlives the connection.
   *
   * @return milliseconds to wait before the next one is read
   */
  synchronized long pause(long uid, int bytes, long now) {
    return paces.computeIfAbsent(uid, u -> new Pace(now)).take(bytes, now);
  }

  private static final class Inside {
    private int connections;
    private boolean greeted;
  }
}
