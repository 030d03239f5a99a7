// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of messaging associations and their connections, by name. Counted on the GIST thread,
 * readable from any thread. Each name is the enum constant in lower case with dashes.
 */
public final class AssociationCounters {
  /** One counter. */
  public enum Counter {
    // Associations.
    ASSOCIATION_OPENED,
    ASSOCIATION_CONNECTED,
    ASSOCIATION_ACCEPTED,
    /** The first Confirm on an accepted association was right. */
    ASSOCIATION_ESTABLISHED,
    /** Ended because neither side needed it any more. */
    ASSOCIATION_PURGED,
    /** Ended by a failure or by the peer while it was in use, or before it was connected. */
    ASSOCIATION_FAILED,
    /** Not connected within the time allowed. */
    CONNECT_TIMEOUT,
    /** Ended because the peer was silent for our MA-Hold-Time, also when asked. */
    PEER_SILENT,
    /** An accepted association without a right first message in the time allowed. */
    UNESTABLISHED_TIMEOUT,
    /**
     * An accepted association that made room for another source before its first message was right.
     */
    UNESTABLISHED_EVICTED,
    /** Refused: this source has its share of the associations that wait for their first message. */
    REFUSED_PER_ADDRESS,
    /** Refused or not opened: as many associations as we hold. */
    REFUSED_FULL,
    /** Ended: more bytes waited for the connection than we keep. */
    QUEUE_OVERFLOW,
    /** Messages for an association that had ended. */
    SENT_AFTER_END,
    /** An event that the machine must not see in its state; ignored. */
    UNEXPECTED_EVENT,
    MESSAGE_SENT,
    MESSAGE_RECEIVED,
    HELLO_SENT,
    HELLO_RECEIVED,
    /** MA-Hello answer with a Hello-ID that we did not ask with; ignored. */
    HELLO_UNMATCHED,
    /** Bytes that are no message, an MA-Hello R=1 without Hello-ID included: an Error goes back. */
    MALFORMED,

    // Connections.
    LINK_CONNECTED,
    LINK_ACCEPTED,
    LINK_CONNECT_FAILED,
    /** Refused: its source has its share of the accepted connections that we hold. */
    LINK_REFUSED_FULL,
    /** Refused: its source has its share of the TLS handshakes that we do at a time. */
    LINK_REFUSED_HANDSHAKES,
    /** Refused: memory of this process is short. */
    LINK_REFUSED_OVERLOAD,
    /** Closed: all connections are taken, and its source had more of them than another. */
    LINK_GAVE_WAY,
    /** Closed: the peer's certificate is missing, or is not on the list of authorised peers. */
    PEER_UNAUTHORISED,
    /** Closed by the peer: its list of authorised peers does not have us. */
    UNWELCOME,
    /** Closed: the list of authorised peers was edited and has the peer no longer. */
    PEER_REVOKED,
    /** Closed: TLS failed for another reason than the identity of the peer. */
    TLS_FAILED,
    /** Closed: a message longer than the bound. */
    MESSAGE_TOO_LONG,
    /** Closed by the peer within a message. */
    MESSAGE_CUT,
    /** Closed: the peer does not read our messages. */
    PEER_STALLED
  }

  private final Map<Counter, AtomicLong> values = new EnumMap<>(Counter.class);
  private final AtomicInteger open = new AtomicInteger();

  public AssociationCounters() {
    for (Counter counter : Counter.values()) {
      values.put(counter, new AtomicLong());
    }
  }

  /** Adds one; on any thread. */
  public void count(Counter counter) {
    values.get(counter).incrementAndGet();
  }

  /** Sets the number of associations, in any state. */
  void open(int number) {
    open.lazySet(number);
  }

  public long get(Counter counter) {
    return values.get(counter).get();
  }

  /**
   * Returns all counters in the order of the enum, then {@code open}, the number of associations.
   */
  public Map<String, Long> snapshot() {
    Map<String, Long> all = new LinkedHashMap<>();
    values.forEach(
        (counter, value) ->
            all.put(counter.name().toLowerCase(Locale.ROOT).replace('_', '-'), value.get()));
    all.put("open", (long) open.get());
    return all;
  }
}
