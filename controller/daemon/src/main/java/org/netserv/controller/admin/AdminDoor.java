// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the connections of a local socket by uid, so that idle connections keep nobody out. A
 * newcomer takes the place of its own uid's connection that has been idle for the longest time.
 * Root has places of its own. Safe on any thread.
 */
final class AdminDoor implements FrameServer.Door {
  private static final Logger LOG = LoggerFactory.getLogger(AdminDoor.class);

  /** Connections of root. */
  static final int ROOT = 64;

  /** Connections of any other uid. */
  static final int PER_UID = 16;

  /**
   * Connections of all other uids together. With root's connections, they stay below the limit of
   * the socket.
   */
  static final int OTHERS = 48;

  /** Milliseconds without a request under way after which a connection is idle. */
  static final long IDLE = 2_000;

  /** One connection; closing it ends its thread. */
  static final class Guest {
    private final long uid;
    private final FrameChannel channel;
    private int underWay;
    private long last;

    private Guest(long uid, FrameChannel channel, long now) {
      this.uid = uid;
      this.channel = channel;
      this.last = now;
    }
  }

  private final String role;
  private final LongSupplier clock;
  private final Consumer<String> counter;
  private final Map<Long, Integer> counts = new HashMap<>();
  private final Set<Guest> guests = new HashSet<>();
  private boolean said;

  /**
   * Makes the door of one socket.
   *
   * @param clock monotonic milliseconds
   * @param counter gets {@code ROLE-refused} or {@code ROLE-evicted} for each connection that is
   *     refused or evicted, on any thread
   */
  AdminDoor(String role, LongSupplier clock, Consumer<String> counter) {
    this.role = role;
    this.clock = clock;
    this.counter = counter;
  }

  @Override
  public synchronized boolean enter(Peer peer) {
    boolean room = room(peer.uid());
    if (!room && !evict(peer.uid())) {
      counter.accept(role + "-refused");
      if (!said) {
        said = true;
        LOG.warn("{} socket: connections of uid {} are refused: too many", role, peer.uid());
      }
      return false;
    }
    counts.merge(peer.uid(), 1, Integer::sum);
    return true;
  }

  private boolean room(long uid) {
    int own = counts.getOrDefault(uid, 0);
    if (uid == 0) {
      return own < ROOT;
    }
    int others =
        counts.entrySet().stream()
            .filter(count -> count.getKey() != 0)
            .mapToInt(Map.Entry::getValue)
            .sum();
    return own < PER_UID && others < OTHERS;
  }

  /**
   * Closes the connection of a uid that has been idle for the longest time. Its place is free at
   * once, and its thread leaves a moment later.
   */
  private boolean evict(long uid) {
    long now = clock.getAsLong();
    Optional<Guest> idlest =
        guests.stream()
            .filter(guest -> guest.uid == uid && guest.underWay == 0 && now - guest.last >= IDLE)
            .min(Comparator.comparingLong(guest -> guest.last));
    idlest.ifPresent(
        guest -> {
          counter.accept(role + "-evicted");
          guests.remove(guest);
          close(guest);
        });
    return idlest.isPresent();
  }

  @Override
  public synchronized void leave(Peer peer) {
    counts.computeIfPresent(peer.uid(), (uid, count) -> count == 1 ? null : count - 1);
  }

  /** Registers a connection that was let in and is served from now on. */
  synchronized Guest begin(Peer peer, FrameChannel channel) {
    Guest guest = new Guest(peer.uid(), channel, clock.getAsLong());
    guests.add(guest);
    return guest;
  }

  synchronized void end(Guest guest) {
    guests.remove(guest);
  }

  /** Records a request of this connection. */
  synchronized void asked(Guest guest) {
    guest.underWay++;
    guest.last = clock.getAsLong();
  }

  /** Records the answer to a request of this connection. */
  synchronized void answered(Guest guest) {
    guest.underWay--;
    guest.last = clock.getAsLong();
  }

  private static void close(Guest guest) {
    try {
      guest.channel.close();
    } catch (IOException e) {
      LOG.debug("close: {}", e.getMessage());
    }
  }
}
