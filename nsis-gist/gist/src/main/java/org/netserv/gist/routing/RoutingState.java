// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.wire.GistMessage;

/**
 * An entry of the routing table, with the machine that keeps it. The class has the common part of
 * Querying-SM and Responding-SM: their inputs, and the messages that wait.
 */
abstract sealed class RoutingState extends LinkedEntry permits QueryingMachine, RespondingMachine {
  private static final int QUEUE_MAX = 64;

  private ArrayDeque<Pending> queue;
  private boolean secrecy;

  RoutingState(RoutingKey key, StateContext context) {
    super(key, context);
  }

  /** Takes a message of the application, and notes whether it asks for secrecy. */
  final void request(Pending pending) {
    secrecy |= pending.request().attributes().secure();
    send(pending);
  }

  /** Sends a message of the application, or lets it wait. */
  abstract void send(Pending pending);

  /** Delivers or refuses Data from the peer of this state. */
  abstract void data(Arrival arrival, GistMessage message);

  /**
   * Takes the peer's word that it has no routing state for us (er_NoRSM).
   *
   * @param by the association by which the peer said so about Data; null: by datagram
   */
  abstract void noRoutingState(Association by);

  /** Handles SetStateLifetime; zero: no further interest. */
  abstract void lifetime(Duration wanted);

  /** Handles InvalidateRoutingState. */
  abstract void invalidate(RoutingStatus now, byte[] forQuery, boolean urgent);

  /** Returns true for Querying-SM, and false for Responding-SM. */
  abstract boolean isQuerying();

  /** Returns the address of the peer that has made this state; null when we have made it. */
  InetAddress countedFor() {
    return null;
  }

  /** True after the application has asked for TLS with a message of this session. */
  final boolean secrecy() {
    return secrecy;
  }

  /** Ends the state: out of the table, its timer off, its association and its peer free. */
  void remove() {
    end();
    context.store.table.remove(this);
    use(null);
    releasePeer();
  }

  // ---- messages that wait

  @Override
  final void connected() {
    for (Pending next = head(); next != null && suits(next) && !holds(); next = head()) {
      removeHead();
      transmit(next);
    }
  }

  /** Returns whether messages wait for more than a connection. */
  boolean holds() {
    return false;
  }

  /** Lets a message wait, or refuses it when too many wait. */
  final void enqueue(Pending pending) {
    if (queue().size() >= QUEUE_MAX) {
      status(pending, MessageStatus.REFUSED, "too many messages wait");
    } else {
      queue.add(pending);
    }
  }

  final void enqueueFirst(Pending pending) {
    queue().addFirst(pending);
  }

  private ArrayDeque<Pending> queue() {
    queue = queue == null ? new ArrayDeque<>(2) : queue;
    return queue;
  }

  /** Returns the first waiting message; null = none. */
  final Pending head() {
    return queue == null ? null : queue.peek();
  }

  final void removeHead() {
    queue.remove();
    if (queue.isEmpty()) {
      queue = null;
    }
  }

  /**
   * Takes over the waiting messages of a state that this one replaces, and its application's wish
   * for secrecy.
   */
  final void inherit(RoutingState former) {
    secrecy |= former.secrecy;
    for (Pending next = former.head(); next != null; next = former.head()) {
      former.removeHead();
      enqueue(next);
    }
  }

  /**
   * Returns the time when the first waiting request is out of time; {@link Long#MAX_VALUE} = never.
   */
  final long firstDeadline() {
    long first = Long.MAX_VALUE;
    if (queue != null) {
      for (Pending pending : queue) {
        first = Math.min(first, pending.deadline());
      }
    }
    return first;
  }

  /** Gives up the requests that are out of time. Returns true when there were any. */
  final boolean expireRequests(long now, MessageStatus why, String detail) {
    if (firstDeadline() > now) {
      return false;
    }
    queue.removeIf(
        pending -> {
          boolean late = pending.deadline() <= now;
          if (late) {
            status(pending, why, detail);
          }
          return late;
        });
    queue = queue.isEmpty() ? null : queue;
    return true;
  }

  /** Gives up all waiting messages. */
  final void failAll(MessageStatus why, String detail) {
    for (Pending pending = head(); pending != null; pending = head()) {
      removeHead();
      status(pending, why, detail);
    }
  }
}
