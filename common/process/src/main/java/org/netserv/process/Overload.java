// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the resources of a process against their limits, and decides which work to refuse. Each
 * gauge governs the kinds of work that use its resource, so that a full table of connections
 * refuses connections and no PROBE. A state rises at once and falls one step after {@link #CALM}
 * below the lower mark. The class has no thread and no clock of its own. The loop of the daemon
 * calls {@link #tick}, and everything else happens on that loop, except {@link #snapshot}, which
 * any thread may call.
 */
public final class Overload {
  /** Milliseconds for which a gauge stays below the lower mark before its state falls. */
  static final long CALM = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(Overload.class);

  private final Map<String, Gauge> gauges = new LinkedHashMap<>();
  private final Map<Work, Long> refused = new EnumMap<>(Work.class);

  /**
   * One resource as it was at the last tick.
   *
   * @param refuses the kinds of work that this resource refuses now
   */
  public record Reading(String name, long used, long limit, LoadState state, List<Work> refuses) {
    /** A line for people: {@code heap 231 of 256: saturated}. */
    public String text() {
      return name + " " + used + " of " + limit + ": " + state.word();
    }
  }

  /**
   * Everything that status shows.
   *
   * @param state the highest of all resources
   * @param refused refusals of each kind of work, kinds without any left out
   */
  public record Snapshot(LoadState state, List<Reading> gauges, Map<Work, Long> refused) {}

  /**
   * Watches one more resource.
   *
   * @param name unique
   * @param used asked at each tick
   * @param limit asked at each tick, because a limit may come from policy; more than 0
   * @param governs the kinds of work that this resource refuses
   */
  public synchronized void gauge(
      String name, LongSupplier used, LongSupplier limit, Set<Work> governs) {
    if (gauges.putIfAbsent(name, new Gauge(name, used, limit, Set.copyOf(governs))) != null) {
      throw new IllegalArgumentException("gauge " + name + " is there already");
    }
  }

  /**
   * Reads all gauges.
   *
   * @param now monotonic milliseconds
   */
  public synchronized void tick(long now) {
    gauges.values().forEach(gauge -> gauge.read(now));
  }

  /**
   * Decides about one piece of work, and counts the refusal.
   *
   * @return empty: do it; else the reason for an answer 503, at most one resource long
   */
  public synchronized Optional<String> refusal(Work work) {
    for (Gauge gauge : gauges.values()) {
      if (gauge.refuses(work)) {
        refused.merge(work, 1L, Long::sum);
        return Optional.of("overload: " + gauge.reading().text());
      }
    }
    return Optional.empty();
  }

  /** Tells whether that work is refused now. Counts nothing. */
  public synchronized boolean refuses(Work work) {
    return gauges.values().stream().anyMatch(gauge -> gauge.refuses(work));
  }

  /** The highest state of all resources. */
  public synchronized LoadState state() {
    LoadState highest = LoadState.NORMAL;
    for (Gauge gauge : gauges.values()) {
      highest = gauge.state.atLeast(highest) ? gauge.state : highest;
    }
    return highest;
  }

  /** The state of now, a copy. */
  public synchronized Snapshot snapshot() {
    List<Reading> readings = new ArrayList<>();
    gauges.values().forEach(gauge -> readings.add(gauge.reading()));
    return new Snapshot(state(), readings, new EnumMap<>(refused));
  }

  private static final class Gauge {
    private final String name;
    private final LongSupplier use;
    private final LongSupplier bound;
    private final Set<Work> governs;
    private LoadState state = LoadState.NORMAL;
    private long used;
    private long limit = 1;
    private long calmSince;
    private boolean calm;

    Gauge(String name, LongSupplier use, LongSupplier bound, Set<Work> governs) {
      this.name = name;
      this.use = use;
      this.bound = bound;
      this.governs = governs;
    }

    void read(long now) {
      used = use.getAsLong();
      limit = Math.max(1, bound.getAsLong());
      LoadState wanted = LoadState.entered(used, limit);
      if (wanted.compareTo(state) > 0) {
        become(wanted);
        calm = false;
      } else if (!state.leaves(used, limit)) {
        calm = false;
      } else if (!calm) {
        calm = true;
        calmSince = now;
      } else if (now - calmSince >= CALM) {
        become(state.below());
        calmSince = now;
      }
    }

    private void become(LoadState next) {
      state = next;
      LOG.info("load: {}", reading().text());
    }

    boolean refuses(Work work) {
      return governs.contains(work) && state.atLeast(work.refusedAt());
    }

    Reading reading() {
      List<Work> now = new ArrayList<>();
      for (Work work : Work.values()) {
        if (refuses(work)) {
          now.add(work);
        }
      }
      return new Reading(name, used, limit, state, List.copyOf(now));
    }
  }
}
