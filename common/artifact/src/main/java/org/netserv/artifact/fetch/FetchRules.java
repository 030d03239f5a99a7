// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import java.util.List;
import java.util.Set;
import org.netserv.values.Prefix;

/**
 * The permitted targets of requests, and their time limits.
 *
 * @param allow prefixes permitted although they are private, local or the node's own
 * @param deny prefixes refused although they are public: management networks
 * @param ports permitted TCP ports
 * @param maxBytes of an answer's body
 * @param connectMillis for a connection, TLS included
 * @param idleMillis without a byte from the server
 * @param totalMillis for a request, name lookup and redirects included
 */
public record FetchRules(
    List<Prefix> allow,
    List<Prefix> deny,
    Set<Integer> ports,
    long maxBytes,
    int connectMillis,
    int idleMillis,
    int totalMillis) {

  /** Public addresses, ports 80 and 443, 16 MiB, 5 s to connect, 10 s of silence, 60 s in all. */
  public static final FetchRules DEFAULT =
      new FetchRules(List.of(), List.of(), Set.of(80, 443), 16L << 20, 5_000, 10_000, 60_000);

  private static final long HIGHEST_BYTES = 1L << 30;

  public FetchRules {
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
    ports = Set.copyOf(ports);
    if (maxBytes < 1 || maxBytes > HIGHEST_BYTES) {
      throw new IllegalArgumentException("maxBytes is 1 to " + HIGHEST_BYTES);
    }
    if (connectMillis < 1 || idleMillis < 1 || totalMillis < 1) {
      throw new IllegalArgumentException("times are positive");
    }
  }
}
