// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import java.util.Locale;

/** The outcome of a connection. Its name is the name of a counter. */
public enum Outcome {
  TO_SERVAL("a TCP connection that a service has answered"),
  FROM_SERVAL("a stream of Serval that a TCP server has answered"),
  NO_SERVICE("a TCP connection to an address and port that `to-serval` does not have"),
  CONNECTIONS_FULL("a connection beyond `connections`"),
  SOURCE_FULL("a connection beyond `connections-per-source`"),
  NO_FLOW("a connection for which the endpoint has no room for one more flow"),
  CONNECT_LATE("a connection whose other side did not answer within `connect-seconds`"),
  CONNECT_REFUSED("a connection whose other side refused it, or cannot be reached"),
  ENDED("a connection that both ends have closed"),
  BROKEN("a connection that one end broke off, so that the other end got a RST"),
  IDLE("a connection that was broken off after `idle-seconds` without a byte"),
  DRAINED("a connection that was broken off, because the module ended"),
  DNS_ANSWERED("a question for a name of `names`"),
  DNS_REFUSED("a question for another name, or of a kind without an answer here"),
  DNS_MALFORMED("a datagram to `dns` that is no question, or such a message over TCP"),
  DNS_FULL("a TCP connection to `dns` beyond 64, or beyond 8 of one source");

  private final String text;

  Outcome(String text) {
    this.text = text;
  }

  /** Returns the outcome in words. */
  public String text() {
    return text;
  }

  /** Returns the name on the page of counters, such as {@code translator.no-service}. */
  public String counter() {
    return "translator." + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
