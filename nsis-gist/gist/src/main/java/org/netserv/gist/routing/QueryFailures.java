// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/** Counts what fails for a querier again and again, and names the events of failures. */
final class QueryFailures {
  private static final int ASSOCIATION_TRIES = 2;

  /** Handshakes begun anew between two refreshes because the peer says it has no routing state. */
  private static final int RESTARTS_MAX = 8;

  /**
   * Time in ms within which a failed connection is tried again, because the peer may have
   * restarted.
   */
  private static final long CONNECT_AGAIN = 5_000;

  private byte unheard;
  private byte restarts;

  /** True when the last Confirm was the first of this session by its association. */
  private boolean confirmedFirst;

  /** Forgets failures of associations, because there is another peer, or another transport. */
  void anotherWay() {
    unheard = 0;
  }

  /** Forgets all, because the peer has shown that it has routing state. */
  void proved() {
    unheard = 0;
    restarts = 0;
  }

  /**
   * Begins the time until the next refresh.
   *
   * @param byAssociation whether there is an association, which has lasted until now
   */
  void refreshed(boolean byAssociation) {
    unheard = byAssociation ? 0 : unheard;
    restarts = 0;
  }

  void restarted() {
    restarts++;
  }

  void confirmed(boolean first) {
    confirmedFirst = first;
  }

  QueryEvent noState() {
    return restarts < RESTARTS_MAX ? QueryEvent.NO_STATE : QueryEvent.NO_STATE_AGAIN;
  }

  /**
   * Returns the event of a refused Confirm. The peer has no routing state unless an earlier Confirm
   * installed it.
   *
   * @param former whether the session has left the association of the Confirm
   */
  QueryEvent confirmRefused(boolean former) {
    if (!confirmedFirst) {
      return QueryEvent.CONFIRM_REFUSED_LATER;
    } else if (former) {
      return QueryEvent.CONFIRM_REFUSED_FORMER;
    }
    return restarts < RESTARTS_MAX ? QueryEvent.CONFIRM_REFUSED : QueryEvent.CONFIRM_REFUSED_AGAIN;
  }

  /**
   * Returns the event of a lost association. A peer that closes a new connection without a message
   * counts as a peer that cannot be connected to. With TLS 1.3 its refusal may show only after the
   * handshake is over for us.
   *
   * @param age ms since a Response chose the association
   * @param waits whether messages wait
   */
  QueryEvent lost(boolean unconnected, boolean heard, long age, boolean waits) {
    boolean young = age <= CONNECT_AGAIN;
    unheard = (byte) (unconnected || (young && !heard) ? unheard + 1 : 0);
    if (unheard >= ASSOCIATION_TRIES || (unconnected && !young)) {
      return QueryEvent.UNCONNECTABLE;
    } else if (unconnected) {
      return QueryEvent.UNCONNECTED;
    }
    return waits ? QueryEvent.ASSOCIATION_LOST_WANTED : QueryEvent.ASSOCIATION_LOST;
  }
}
