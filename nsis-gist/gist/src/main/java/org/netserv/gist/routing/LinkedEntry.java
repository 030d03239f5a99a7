// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.association.Association;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;

/** An entry with a way to its peer: an association, or datagrams. */
abstract sealed class LinkedEntry extends RoutingEntry implements Association.User
    permits RoutingState {
  private Association association;

  /**
   * True when the association is connected. Until then messages wait in the entry, not in the
   * association.
   */
  private boolean up;

  private boolean reliableSent;

  LinkedEntry(RoutingKey key, StateContext context) {
    super(key, context);
  }

  /** Returns the UDP port of the peer. */
  abstract int port();

  /** Returns our address as the peer knows it. */
  abstract InetAddress own();

  final Association association() {
    return association;
  }

  /** Returns whether messages by this association may be for this state. */
  boolean takes(Association from) {
    return from == association;
  }

  /** Returns whether this message waits for an association that is being connected. */
  final boolean waitsForConnection(Pending pending) {
    return !up && suits(pending);
  }

  /** Uses this association from now on; null = none. */
  final void use(Association now) {
    if (association == now) {
      return;
    }
    Association former = association;
    association = now;
    up = now != null && now.connected();
    reliableSent = false;
    if (former != null) {
      former.detach(this);
    }
    if (now != null) {
      now.attach(this);
    }
  }

  /** Returns whether this message has to go by an association (section 4.3.3). */
  final boolean needsAssociation(Pending pending) {
    return pending.reliable() || !context.outbox.sender.fits(datagram(pending), peer().address());
  }

  final boolean suits(Pending pending) {
    return association != null
        && (!pending.request().attributes().secure() || association.secure());
  }

  private GistMessage datagram(Pending pending) {
    int ttl = key().mri().upstream() ? distance() : DatagramSender.TTL;
    return context.outbox.messages.data(
        key(),
        pending.hops(),
        context.outbox.messages.own(ttl, own()),
        pending.request().payload());
  }

  /** Returns whether a message can be sent now, because the transport that there is suits it. */
  final boolean sendable(Pending pending) {
    return suits(pending) || !needsAssociation(pending);
  }

  /**
   * Sends a message by the available transport, the association before datagrams.
   *
   * @return false: the message needs an association, and there is none, or not a secure one
   */
  final boolean transmit(Pending pending) {
    if (suits(pending)) {
      sendByAssociation(pending);
      return true;
    }
    if (needsAssociation(pending)) {
      return false;
    }
    if (context.outbox.sender.send(Rank.OWN, datagram(pending), own(), peer().address(), port())) {
      context.counters.count(Counter.DATA_SENT);
      status(pending, MessageStatus.SENT, "");
      sentByDatagram(pending);
    } else {
      status(pending, MessageStatus.REFUSED, "rate limit");
    }
    return true;
  }

  /** Called for a message that left by datagram. No peer confirms its arrival. */
  void sentByDatagram(Pending pending) {}

  private void sendByAssociation(Pending pending) {
    context.counters.count(Counter.DATA_SENT);
    reliableSent |= pending.reliable();
    status(pending, MessageStatus.SENT, "");
    sentByAssociation(pending);
    association.send(
        context.outbox.messages.data(key(), pending.hops(), null, pending.request().payload()));
  }

  /** Notes a message that leaves by the association. */
  void sentByAssociation(Pending pending) {}

  // ---- news of the association

  @Override
  public final void associationConnected(Association connected) {
    if (connected != association) {
      return;
    }
    up = true;
    context.applications.begin();
    try {
      connected();
    } finally {
      context.applications.end();
    }
  }

  /** Sends the messages that have waited for the connection. */
  abstract void connected();

  @Override
  public final void associationFailed(Association failed, String reason) {
    if (failed != association || gone()) {
      return;
    }
    context.counters.count(Counter.ASSOCIATION_FAILED);
    boolean unconnected = !up;
    association = null;
    up = false;
    mayBeLost(reason);
    associationLost(failed, unconnected);
  }

  /** Tells the application when reliable messages may not have arrived. */
  final void mayBeLost(String reason) {
    if (forgetReliable()) {
      lost(reason);
    }
  }

  /** Returns whether reliable messages were sent by this association, and forgets that. */
  final boolean forgetReliable() {
    boolean sent = reliableSent;
    reliableSent = false;
    return sent;
  }

  @Override
  public final void associationRefused(Association failed, String reason) {
    if (failed != association || gone()) {
      return;
    }
    context.counters.count(Counter.STATE_REVOKED);
    association = null;
    up = false;
    notify(Kind.NODE_AUTHORISATION_CHANGE, null, peer(), reason);
    mayBeLost(reason);
    revoked(reason);
  }

  @Override
  public final void associationUnwelcome(Association failed, String reason) {
    if (failed != association || gone()) {
      return;
    }
    if (!doesWithoutTls(failed)) {
      associationRefused(failed, reason);
      return;
    }
    context.counters.count(Counter.ASSOCIATION_FAILED);
    association = null;
    up = false;
    withoutTls(failed, reason);
  }

  /**
   * Decides whether a session may go on by TCP where TLS fails because one peer does not admit the
   * other.
   */
  boolean doesWithoutTls(Association failed) {
    return false;
  }

  /** Goes on by TCP. No message that was sent by the association has arrived. */
  void withoutTls(Association failed, String reason) {}

  /** Ends the state, because the peer may not be one any more. */
  abstract void revoked(String reason);

  /**
   * Called when the association is gone. With {@code unconnected} it was never connected, and its
   * messages still wait.
   */
  abstract void associationLost(Association failed, boolean unconnected);
}
