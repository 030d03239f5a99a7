// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * A TCP connection of an allocation with a peer, and the connection id by which the client asks for
 * it (RFC 6062, 5.2 to 5.4).
 *
 * <pre>
 *   CONNECTING --- the peer answers ---> WAITING --- ConnectionBind ---> JOINED ---> ended
 *   a peer connects ---------------------->  |
 *                                            +--- 30 s --------------------------> ended
 * </pre>
 */
final class PeerLink implements Expiry.Due {
  enum State {
    CONNECTING,
    WAITING,
    JOINED
  }

  private final int id;
  private final Allocation of;
  private final PeerStreams.PeerStream peer;
  private final SavedRequest request;
  private State state;
  private long due;
  private int place = Expiry.NOWHERE;

  /**
   * @param request the Connect request that is to be answered, null = the peer has connected
   */
  PeerLink(int id, Allocation of, PeerStreams.PeerStream peer, SavedRequest request) {
    this.id = id;
    this.of = of;
    this.peer = peer;
    this.request = request;
    state = State.CONNECTING;
  }

  int id() {
    return id;
  }

  Allocation of() {
    return of;
  }

  PeerStreams.PeerStream peer() {
    return peer;
  }

  SavedRequest request() {
    return request;
  }

  State state() {
    return state;
  }

  /**
   * The connection is there, and its client has time to bind it.
   *
   * @param until the end of that time
   */
  void waits(long until) {
    state = State.WAITING;
    due = until;
  }

  void joined() {
    state = State.JOINED;
  }

  boolean isWith(long high, long low, int port) {
    return peer.high() == high && peer.low() == low && peer.port() == port;
  }

  @Override
  public long due() {
    return due;
  }

  @Override
  public int place() {
    return place;
  }

  @Override
  public void place(int at) {
    place = at;
  }
}
