// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counters of a GIST node by name: its actions, drops and refusals. Counted on the GIST thread,
 * readable from any thread. Each name is the enum constant in lower case with dashes.
 */
public final class GistCounters {
  /** One counter. */
  public enum Counter {
    // Traffic.
    QUERY_RECEIVED,
    RESPONSE_RECEIVED,
    CONFIRM_RECEIVED,
    DATA_RECEIVED,
    ERROR_RECEIVED,
    QUERY_SENT,
    RESPONSE_SENT,
    CONFIRM_SENT,
    DATA_SENT,
    ERROR_SENT,
    /** NSLP payloads handed to an application, without payloads of Queries. */
    DELIVERED,

    // Interception.
    /** Passed on unchanged, because it is not Q-mode or cannot be read as GIST. */
    PASSED_NOT_GIST,
    /** Passed on with its hop count decremented, because the application does not exist here. */
    FORWARDED_BYPASS,
    /** Passed on because the application does not want to be a peer. */
    FORWARDED_BY_APPLICATION,
    /** Passed on, because {@code statesMax} or the share of its source is reached. */
    FORWARDED_OVERLOAD,
    /** Passed on unchanged, because more Queries a second came than we look at. */
    PASSED_RATE_LIMIT,
    /** Dropped although addressed to us, because more Queries a second came than we look at. */
    DROPPED_RATE_LIMIT,
    /** Upstream Query that came over more than one IP hop: 11/0. */
    REFUSED_TTL,
    /** MRI too wild, wrong IP version, or from a place the flow cannot come from: 12/x. */
    REFUSED_MRI,
    /** Hop count 0, or 1 where the message must go on: 2/0. */
    REFUSED_HOPS,
    /** A datagram to our port without the magic number. */
    DROPPED_NO_MAGIC,
    /** Bytes that are no message; mostly answered with an Error. */
    DROPPED_MALFORMED,
    /** A message in a transport that its type must not use: 3/0. */
    REFUSED_ENCAPSULATION,
    /** A directly addressed message for an application that we do not have: 6/0. */
    REFUSED_UNKNOWN_NSLP,
    /** Q-mode to us as the end of the path, without the application: 7/0. */
    ENDPOINT_FOUND_SENT,
    /** A NAT that does not know GIST is in the way: 9/4, or a handshake given up. */
    REFUSED_LEGACY_NAT,
    /** NAT-Traversal object without a translation of all addresses: 9/4. */
    REFUSED_NAT_TRAVERSAL,
    /** Dropped, because it is our own message. */
    DROPPED_OWN,

    // Handshakes.
    QUERY_RETRANSMITTED,
    RESPONSE_RETRANSMITTED,
    REFRESH_SENT,
    /** Response with a cookie, session or flow that we have no Query for. */
    DROPPED_RESPONSE_UNKNOWN,
    /** Confirm with a Responder-Cookie that is too old, or not ours for this state. */
    DROPPED_BAD_COOKIE,
    /** Confirm that does not echo our Stack-Proposal: somebody tries to bid us down. */
    REFUSED_BID_DOWN,
    /** Confirm without state and without a cookie: 5/0. */
    REFUSED_CONFIRM,
    HANDSHAKE_COMPLETED,
    HANDSHAKE_RESPONDED,
    HANDSHAKE_FAILED,
    HANDSHAKE_RESTARTED,
    /** Error about the first Confirm of a session on its association: the handshake begins anew. */
    CONFIRM_REFUSED,
    /** Data that the peer had refused for lack of routing state, sent again after a handshake. */
    DATA_RESENT,
    /** Response over an association that was there already. */
    ASSOCIATION_REUSED,
    ASSOCIATION_OPENED,
    ASSOCIATION_FAILED,
    /** Session that turned from TLS to TCP: one side's list of peers does not have the other. */
    ASSOCIATION_WITHOUT_TLS,
    /** An event that the machine must not see in its state; ignored. */
    UNEXPECTED_EVENT,

    // Routing state.
    STATE_CREATED,
    STATE_EXPIRED,
    STATE_INACTIVE,
    /** State ended with its association, because the peer is not, or no longer, authorised. */
    STATE_REVOKED,
    /** No room: {@code statesMax}, or the share of the peer's address. */
    STATE_REFUSED,
    ROUTE_CHANGED,
    /** Data without routing state: 5/0. */
    REFUSED_NO_STATE,
    /** Data over another association than that of its state: 4/0. */
    REFUSED_MISDELIVERED,
    /** Data without routing state, or routed explicitly, delivered with a flag. */
    DELIVERED_UNVALIDATED,
    /** Data by datagram in a session for which the application asked for TLS: 3/0. */
    REFUSED_INSECURE,
    /** Data that another node than the peer sent by datagram. */
    DROPPED_DATA,

    // Errors and ICMP.
    /** Errors that were not sent because too many were sent before. */
    ERROR_SUPPRESSED,
    /** Errors that concern no state of ours. */
    ERROR_UNMATCHED,
    ENDPOINT_FOUND_RECEIVED,
    NO_ROUTING_STATE_RECEIVED,
    ICMP_ACCEPTED,
    /** ICMP errors that do not belong to a Query of ours, or come from the wrong node. */
    ICMP_REFUSED,

    // Sending.
    /** Messages that waited for the rate limit. */
    SEND_QUEUED,
    /** Messages that did not leave, because the queue of the rate limit was full. */
    SEND_OVERFLOW,
    SEND_FAILED,
    /** Requests of applications that ended with an error. */
    REQUEST_FAILED,
    LAST_NODE
  }

  private final Map<Counter, AtomicLong> values = new EnumMap<>(Counter.class);
  private final Map<String, LongSupplier> gauges = new ConcurrentHashMap<>();

  public GistCounters() {
    for (Counter counter : Counter.values()) {
      values.put(counter, new AtomicLong());
    }
  }

  /** Adds one; on the GIST thread, the only writer. */
  public void count(Counter counter) {
    AtomicLong value = values.get(counter);
    value.lazySet(value.getPlain() + 1);
  }

  public long get(Counter counter) {
    return values.get(counter).get();
  }

  /** Adds a gauge. A reader on any thread asks for its value, so the supplier has to be simple. */
  public void gauge(String name, LongSupplier value) {
    gauges.put(name, value);
  }

  /** Returns all values: counters in the order of the enum, then gauges by name. */
  public Map<String, Long> snapshot() {
    Map<String, Long> all = new LinkedHashMap<>();
    values.forEach((counter, value) -> all.put(name(counter), value.get()));
    gauges.keySet().stream().sorted().forEach(n -> all.put(n, gauges.get(n).getAsLong()));
    return all;
  }

  private static String name(Counter counter) {
    return counter.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
