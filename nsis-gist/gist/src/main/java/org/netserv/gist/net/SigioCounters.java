// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The counters that sigio sends each second, and our own. Written by one thread, read by any. */
final class SigioCounters {
  /** Names in the order of docs/protocols/sigio.md and of the frame. */
  static final List<String> NAMES =
      List.of(
          "intercepted",
          "not-gist",
          "taken",
          "forwarded",
          "rewritten",
          "timed-out",
          "no-client",
          "overflow",
          "rate-limited",
          "bad-checksum",
          "fragment",
          "unknown-token",
          "received",
          "sent",
          "send-failed",
          "icmp",
          "icmp-limited",
          "bad-frame",
          "too-long",
          "second-look",
          "lost",
          "overrun",
          "refused",
          "over-share");

  /** Counted on our side of the socket. */
  enum Own {
    /** Datagrams that did not reach sigio. */
    UNSENT,
    /** Verdicts that did not reach sigio. Their packets go on by themselves. */
    VERDICTS_LOST,
    /** Frames of sigio that make no sense. */
    BAD_FRAMES,
    /** Calls of the listener that ended with an exception. */
    LISTENER_FAILED
  }

  private final Map<Own, AtomicLong> own =
      Arrays.stream(Own.values())
          .collect(Collectors.toUnmodifiableMap(c -> c, c -> new AtomicLong()));
  private volatile long[] told = {};

  void add(Own counter) {
    own.get(counter).incrementAndGet();
  }

  void told(long[] values) {
    told = values;
  }

  Map<String, Long> all() {
    Map<String, Long> all = new LinkedHashMap<>();
    long[] values = told;
    for (int i = 0; i < NAMES.size() && i < values.length; i++) {
      all.put(NAMES.get(i), values[i]);
    }
    for (Own counter : Own.values()) {
      String name = counter.name().toLowerCase(Locale.ROOT).replace('_', '-');
      all.put(name, own.get(counter).get());
    }
    return all;
  }
}
