// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** What the signaling application did, dropped and refused, by name. Readable from any thread. */
public final class SignalingCounters {
  /** One thing that is counted; the name is the word in lower case with dashes. */
  public enum Counter {
    /** REQUESTs that were read. */
    REQUESTS,
    /** RESPONSEs sent up the path, or handed to the TRIGGER that asked. */
    ANSWERED,
    /** Flows started for a TRIGGER. */
    TRIGGERED,
    /** Payloads that do not read, or came in the wrong direction; dropped. */
    MALFORMED,
    /** Messages without routing state; dropped. */
    UNVALIDATED,
    /** REQUESTs that came once more from the same peer, or from another instead of it. */
    REPEATED,
    /** Of these, those from another: it gets the answer. */
    TAKEN_OVER,
    /** REQUESTs that came round to us, or whose id another one had: END 6. */
    LOOP,
    /** REQUESTs refused because of what is inside: END 6. */
    REFUSED_MESSAGE,
    /** REQUESTs without TLS where policy wants it: END 6. */
    REFUSED_INSECURE,
    /** REQUESTs of a source that has its share of what is under way: END 6. */
    REFUSED_BUSY,
    /** REQUESTs above the rate of a source, or above its share of all sources' rate: END 6. */
    REFUSED_HOP_RATE,
    /** PROBEs of strangers above the rate of a source, or above its share: END 6. */
    REFUSED_PROBE_RATE,
    /**
     * REQUESTs signed by a publisher above the rate of the publisher, where room is short: END 6.
     */
    REFUSED_PUBLISHER_RATE,
    /** REQUESTs refused because memory or a queue of this process is short: END 6. */
    REFUSED_OVERLOAD,
    /** Requests under way that gave up their slot to a source with fewer: END 5. */
    GAVE_WAY,
    /** Requests whose signature by a registered publisher gave them a slot of the reserve. */
    RESERVED,
    /** Queries that passed by: too much is under way, or the interface is not one of ours. */
    PASSED_BY,
    /** RESPONSEs for requests that were answered already, or never made; dropped. */
    LATE_RESPONSE,
    /** Answers of the controller that came too late; dropped. */
    LATE_CONTROLLER,
    /** Requests answered because their time was over. */
    TIMED_OUT,
    /** Requests answered without an entry of ours because the controller is away. */
    CONTROLLER_AWAY,
    /** Entries left out: the stack is full, or it was not signed in time. */
    ENTRY_LEFT_OUT,
    /** REQUESTs sent down once more after a peer was lost. */
    RESENT,
    /** RESPONSEs sent up once more after they did not leave. */
    RESENT_RESPONSE,
    /** RESPONSEs given up. */
    LOST_RESPONSE,
    /** Events that do not belong to the state of their request; ignored. */
    UNEXPECTED
  }

  private final Map<Counter, AtomicLong> values = new EnumMap<>(Counter.class);

  public SignalingCounters() {
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

  /** All of them, in the order of the enum. */
  public Map<String, Long> snapshot() {
    Map<String, Long> all = new LinkedHashMap<>();
    values.forEach((counter, value) -> all.put(name(counter), value.get()));
    return all;
  }

  static String name(Counter counter) {
    return counter.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
