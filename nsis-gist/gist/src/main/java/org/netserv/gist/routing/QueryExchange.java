// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.Arrays;
import org.netserv.gist.GistSettings;
import org.netserv.gist.wire.QueryCookie;

/**
 * One handshake of a querier. It has the Queries that were sent, each with a cookie of its own, and
 * the time of the next Query (RFC 5971 section 5.3.3). The cookies stay after the handshake,
 * because a late Response to any of them still counts.
 */
final class QueryExchange {
  private static final byte[] NONE = new byte[0];

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

  /** Returns our address in the last Query; null when none was sent. */
  InetAddress own() {
    return own;
  }

  void own(InetAddress address) {
    own = address;
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

  void setBound(long now) {
    bound = true;
    boundAt = now;
  }

  /** Returns the milliseconds since a Response decided the transport. */
  long boundFor(long now) {
    return now - boundAt;
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
  long begin(GistSettings settings) {
    interval = (int) Math.min(settings.t1(), settings.t2());
    return interval;
  }

  /**
   * Returns the wait after the next Query, ms; 0: the longest wait is over, there is no next one.
   */
  long next(GistSettings settings) {
    if (interval >= settings.t2()) {
      return 0;
    }
    interval = (int) Math.min(2L * interval, settings.t2());
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

  /** Notes that a Query found the queue full. */
  void drop() {
    dropped = true;
  }

  /** Notes a Query that has left. */
  void remember(QueryCookie cookie, boolean asksAssociation, boolean asksSecure) {
    if (queries() == 0) {
      asked = asksAssociation;
      askedSecure = asked && asksSecure;
    }
    dropped = false;
    cookies = Arrays.copyOf(cookies, cookies.length + Cookies.QUERY_LENGTH);
    System.arraycopy(
        cookie.bytes(), 0, cookies, cookies.length - Cookies.QUERY_LENGTH, Cookies.QUERY_LENGTH);
  }
}
