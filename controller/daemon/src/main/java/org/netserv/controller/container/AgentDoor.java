// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.netserv.process.RateLimit;

/**
 * Decides which connections a container may have. A uid has at most {@link #CONNECTIONS} at a time,
 * one that has greeted and one on its way. While the first is open no other can greet, so a module
 * that connects by itself cannot take the agent's place. Safe on any thread.
 */
final class AgentDoor {
  /** Of one uid at a time. */
  static final int CONNECTIONS = 2;

  /** Of one uid a minute; after that one each five seconds, the longest pause of an agent. */
  static final int PER_MINUTE = 12;

  /** Uids whose pace is remembered beyond their connections. */
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
   * A connection has come.
   *
   * @param crowded the controller is short of memory or connections: each uid has one at most
   * @param now monotonic milliseconds
   * @return why it is refused; else {@link #leaves} is owed for it
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

  /** One that is inside has said hello; whether it is the container's agent from now on. */
  synchronized boolean greets(long uid) {
    Inside own = inside.get(uid);
    if (own.greeted) {
      return false;
    }
    own.greeted = true;
    return true;
  }

  /** The one that had greeted is gone. */
  synchronized void parts(long uid) {
    inside.get(uid).greeted = false;
  }

  /** One that was inside is gone. */
  synchronized void leaves(long uid) {
    Inside own = inside.get(uid);
    own.connections--;
    if (own.connections == 0) {
      inside.remove(uid);
    }
  }

  /**
   * A frame has come; its cost outlives its connection.
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
