// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.limit;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.controller.loop.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how often each publisher has met each of its limits since the controller's start. The
 * listener hears every time, the log at most once a minute for each publisher and limit. On the
 * loop.
 */
public final class Limits {
  private static final Logger LOG = LoggerFactory.getLogger(Limits.class);
  private static final long SAY_EVERY = 60_000;

  /** The count of one limit of one publisher. */
  private static final class Count {
    private long times;
    private long saidAt = -SAY_EVERY;
    private String text = "";
  }

  private final Loop loop;
  private final LimitListener listener;
  private final Map<String, Map<Limit, Count>> counts = new TreeMap<>();

  public Limits(Loop loop, LimitListener listener) {
    this.loop = loop;
    this.listener = listener;
  }

  /**
   * Counts a limit that a publisher has met.
   *
   * @param times more than 0
   * @param quota the value in the publisher's policy
   */
  public void met(String user, Limit limit, long times, String quota) {
    Count count =
        counts
            .computeIfAbsent(user, u -> new EnumMap<>(Limit.class))
            .computeIfAbsent(limit, l -> new Count());
    count.times += times;
    count.text = limit.text(count.times, quota);
    if (loop.monotonic() - count.saidAt >= SAY_EVERY) {
      count.saidAt = loop.monotonic();
      LOG.warn("publisher {}: {}", user, count.text);
    }
    listener.over(user, limit, count.text);
  }

  /** Returns the number of times for the counter of each limit that the publisher has met. */
  public Map<String, Long> of(String user) {
    Map<String, Long> met = new TreeMap<>();
    counts.getOrDefault(user, Map.of()).forEach((limit, c) -> met.put(limit.counter(), c.times));
    return met;
  }

  /** Returns the limits that each publisher has met, in words. */
  public Map<String, Map<String, String>> texts() {
    Map<String, Map<String, String>> texts = new TreeMap<>();
    counts.forEach(
        (user, met) -> {
          Map<String, String> own = texts.computeIfAbsent(user, u -> new TreeMap<>());
          met.forEach((limit, count) -> own.put(limit.counter(), count.text));
        });
    return texts;
  }
}
