// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of the signaling application by name: its actions, drops and refusals. Readable from any
 * thread.
 */
public final class SignalingCounters {
  /** One counter. Its name is the word in lower case with dashes. */
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
    /** REQUESTs that came once more, from the same peer or from its successor. */
    REPEATED,
    /** Repeated REQUESTs that came from another peer than before. The answer goes to that peer. */
    TAKEN_OVER,
    /** REQUESTs that came round to us, or had the id of another request: END 6. */
    LOOP,
    /** REQUESTs refused because of the message inside: END 6. */
    REFUSED_MESSAGE,
    /** REQUESTs without TLS where policy wants it: END 6. */
    REFUSED_INSECURE,
    /** REQUESTs of a source that has used up its share of the requests under way: END 6. */
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
    /** Requests that got a slot of the reserve by the signature of a registered publisher. */
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
