// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.wire.QueryCookie;

/**
 * Queries without a Response so far that have an address of ours as source. An ICMP error can be
 * matched with them.
 */
final class OutstandingQueries {
  /** Waits for a Response. */
  interface Querier {
    /** Returns whether a Response came before. */
    boolean hasPeer();

    /** Ends the state because no node is behind us. Endpoint Found or ICMP shows that. */
    void lastNode(String reason);
  }

  /** A Query and the cookie in it. */
  record Sent(OutboundDatagram datagram, QueryCookie cookie) {}

  /** A payload that is quoted up to this length cannot have a whole Query-Cookie. */
  private static final int SHORT = 64;

  private final Map<InetAddress, Map<Querier, List<Sent>>> byDestination = new HashMap<>();

  void add(Querier querier, Sent query) {
    byDestination
        .computeIfAbsent(query.datagram().destination(), d -> new HashMap<>())
        .computeIfAbsent(querier, m -> new ArrayList<>(2))
        .add(query);
  }

  void forget(Querier querier, InetAddress destination) {
    Map<Querier, List<Sent>> there = byDestination.get(destination);
    if (there != null && there.remove(querier) != null && there.isEmpty()) {
      byDestination.remove(destination);
    }
  }

  int destinations() {
    return byDestination.size();
  }

  /**
   * Finds the querier that sent the Query which an error quotes. Several checks protect against
   * forgery. The addresses, the ports and the quoted part of the payload must match a Query of
   * ours. If the sender of the error is known, it must be the end of the flow.
   *
   * <p>The quoted part must have the cookie, with one exception. Old hosts quote 8 bytes after the
   * IPv4 header, which are UDP's header, or a little more. Such an error counts when it comes from
   * the end of the flow, names the very port from which we send, and no peer was found so far.
   */
  Optional<Querier> find(IcmpError error) {
    if (error.offender() != null && !error.offender().equals(error.destination())) {
      return Optional.empty();
    }
    return byDestination.getOrDefault(error.destination(), Map.of()).entrySet().stream()
        .filter(entry -> entry.getValue().stream().anyMatch(q -> quotes(error, q, entry.getKey())))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static boolean quotes(IcmpError error, Sent sent, Querier querier) {
    OutboundDatagram query = sent.datagram();
    int length = error.payload().length;
    return error.source().equals(query.source())
        && (query.sourcePort() == 0 || error.sourcePort() == query.sourcePort())
        && error.destinationPort() == query.destinationPort()
        && length <= query.payload().length
        && Arrays.equals(error.payload(), 0, length, query.payload(), 0, length)
        && (contains(error.payload(), sent.cookie().bytes())
            || (!querier.hasPeer() && shortOfCookie(error, sent)));
  }

  private static boolean shortOfCookie(IcmpError error, Sent sent) {
    OutboundDatagram query = sent.datagram();
    int port = query.sourcePort() == 0 ? DatagramSender.PORT : query.sourcePort();
    return error.offender() != null
        && error.destination().getAddress().length == 4
        && error.sourcePort() == port
        && error.payload().length < SHORT;
  }

  private static boolean contains(byte[] bytes, byte[] part) {
    for (int at = 0; at + part.length <= bytes.length; at += 4) { // objects are whole words
      if (Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
        return true;
      }
    }
    return false;
  }
}
