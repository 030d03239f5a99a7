// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.Arrays;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;

/**
 * One handshake of a querier. It has the Queries that were sent, each with a cookie of its own, and
 * the time of the next Query (RFC 5971 section 5.3.3). The cookies stay after the handshake,
 * because a late Response to any of them still counts.
 */
final class QueryExchange {
  private static final byte[] NONE = new byte[0];

  private final Parts parts;
  private byte[] cookies = NONE;
  private InetAddress own;
  private int interval;

  /** True when the first Query asked for an association; {@code askedSecure}: for one with TLS. */
  private boolean asked;

  private boolean askedSecure;

  /** True when a Response has already decided the transport to the peer. */
  private boolean bound;

  private long boundAt;

  /** True when the last Query found the queue full. */
  private boolean dropped;

  QueryExchange(Parts parts) {
    this.parts = parts;
  }

  /** Returns our address in the last Query; null when none was sent. */
  InetAddress own() {
    return own;
  }

  /** Keeps our address of the former exchange when there is no route at the moment. */
  void keepAddress(QueryExchange former) {
    own = own == null ? former.own : own;
  }

  /** Returns whether every Response to this exchange knows that an association is wanted. */
  boolean asked(boolean secure) {
    return secure ? askedSecure : asked;
  }

  boolean bound() {
    return bound;
  }

  void setBound() {
    bound = true;
    boundAt = parts.wheel.now();
  }

  /** Returns the milliseconds since a Response decided the transport. */
  long boundFor() {
    return parts.wheel.now() - boundAt;
  }

  /** Returns the number of Queries that were sent. */
  int queries() {
    return cookies.length / Cookies.QUERY_LENGTH;
  }

  boolean sent(QueryCookie cookie) {
    byte[] bytes = cookie.bytes();
    for (int at = 0; at < cookies.length; at += Cookies.QUERY_LENGTH) {
      if (Arrays.equals(bytes, 0, bytes.length, cookies, at, at + Cookies.QUERY_LENGTH)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the wait after the Query just sent, ms. It is T1 after the first Query and doubles with
   * each next one.
   */
  long begin() {
    interval = (int) Math.min(parts.settings.t1(), parts.settings.t2());
    return interval;
  }

  /**
   * Returns the wait after the next Query, ms; 0: the longest wait is over, there is no next one.
   */
  long next() {
    if (interval >= parts.settings.t2()) {
      return 0;
    }
    interval = (int) Math.min(2L * interval, parts.settings.t2());
    return interval;
  }

  /** Returns whether the last Query did not leave, so that no node can have answered it. */
  boolean dropped() {
    return dropped;
  }

  /** Returns the same wait again, for a Query that would only have queued behind the last one. */
  long same() {
    return interval;
  }

  /**
   * Sends a Query.
   *
   * @param offer null: no association is wanted
   * @param payload null = none; left out when the Query would not fit a datagram with it
   */
  void send(QueryingMachine machine, int hops, Offer offer, boolean secure, byte[] payload) {
    RoutingKey key = machine.key();
    InetAddress target = DatagramSender.target(key.mri());
    InetAddress address = parts.network.addressTowards(target).orElse(null);
    if (address == null) {
      parts.count(Counter.SEND_FAILED); // no route now, but the next retransmission may find one
      return;
    }
    own = address;
    boolean ownSource = key.mri().upstream() || byOwnSource();
    NetworkLayerInfo info =
        parts.messages.own(key.mri().upstream() ? machine.distance() : DatagramSender.TTL, address);
    QueryCookie cookie = parts.cookies.query();
    GistMessage query = parts.messages.query(key, hops, ownSource, info, cookie, offer, payload);
    if (payload != null && !parts.sender.fits(query, target)) {
      query = parts.messages.query(key, hops, ownSource, info, cookie, offer, null);
    }
    OutboundDatagram sent =
        parts.sender.explicit(
            machine.rank(),
            query,
            key.mri(),
            ownSource ? address : null,
            parts.applications.routerAlert(key.nslpId()));
    dropped = sent == null;
    if (dropped) {
      return;
    }
    if (queries() == 0) {
      asked = offer != null;
      askedSecure = asked && secure;
    }
    parts.count(queries() == 0 ? Counter.QUERY_SENT : Counter.QUERY_RETRANSMITTED);
    remember(cookie);
    if (parts.network.isLocal(sent.source())) {
      parts.outstanding.add(machine, new OutstandingQueries.Sent(sent, cookie));
    }
  }

  private boolean byOwnSource() {
    int after = parts.settings.sourceAddressAfter();
    return after >= 0 && queries() >= after;
  }

  private void remember(QueryCookie cookie) {
    cookies = Arrays.copyOf(cookies, cookies.length + Cookies.QUERY_LENGTH);
    System.arraycopy(
        cookie.bytes(), 0, cookies, cookies.length - Cookies.QUERY_LENGTH, Cookies.QUERY_LENGTH);
  }
}
