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
 * One handshake of a querier: the Queries it sent, each with a cookie of its own, and when to send
 * the next (RFC 5971 section 5.3.3). What is left of it afterwards are the cookies: a late Response
 * to any of them still counts.
 */
final class QueryExchange {
  private static final byte[] NONE = new byte[0];

  private final Parts parts;
  private byte[] cookies = NONE;
  private InetAddress own;
  private int interval;

  /** Whether the first Query asked for an association, and for TLS. */
  private boolean asked;

  private boolean askedSecure;

  /** Whether a Response has decided already how the peer is reached. */
  private boolean bound;

  private long boundAt;

  /** Whether the last Query found the queue full. */
  private boolean dropped;

  QueryExchange(Parts parts) {
    this.parts = parts;
  }

  /** Our address in the last Query; null when none was sent. */
  InetAddress own() {
    return own;
  }

  /** When there is no route at the moment, our address is what it was. */
  void keepAddress(QueryExchange former) {
    own = own == null ? former.own : own;
  }

  /** Whether every Response to this exchange knows that an association is wanted. */
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

  /** Milliseconds since then. */
  long boundFor() {
    return parts.wheel.now() - boundAt;
  }

  /** How many Queries were sent. */
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

  /** The wait after the Query just sent, ms: T1 after the first, twice as much after the next. */
  long begin() {
    interval = (int) Math.min(parts.settings.t1(), parts.settings.t2());
    return interval;
  }

  /** The wait after the next Query; 0: the longest wait is over, there is no next one. */
  long next() {
    if (interval >= parts.settings.t2()) {
      return 0;
    }
    interval = (int) Math.min(2L * interval, parts.settings.t2());
    return interval;
  }

  /** Whether the last Query did not leave, so that nobody can have answered it. */
  boolean dropped() {
    return dropped;
  }

  /** The same wait again, for a Query that would only have queued behind the last one. */
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
      parts.count(Counter.SEND_FAILED); // no route now: the next retransmission may find one
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
