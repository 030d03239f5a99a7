// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.bench.Figures;

/** Measurements of a cell, one value for each repetition, by the number of the repetition. */
final class Result {
  /** The kind of a measurement. */
  enum Kind {
    /** Packets a second without loss. */
    RATE,
    /** Nanoseconds that the router's tasks take for a packet. */
    PROCESSOR,
    /** Of a packet; with {@code --exact}, of the threads on its path. */
    INSTRUCTIONS,
    /**
     * With {@code --exact}: instructions of the other threads, which report, compile and collect.
     * They work by the second and not by the packet.
     */
    BESIDE,
    CYCLES,
    /** Microseconds on the way at half of the highest rate. */
    P50,
    P99
  }

  private final Cell cell;
  private final Map<Kind, Map<Integer, Double>> values = new TreeMap<>();

  /** Rates of forwarded packets in each repetition, by the rate of offered packets. */
  private final Map<Double, Figures> curve = new TreeMap<>();

  private String reason = "";
  private int failures;
  private int trials;
  private int voids;
  private boolean outrun = true;

  Result(Cell cell) {
    this.cell = cell;
  }

  Cell cell() {
    return cell;
  }

  void put(Kind kind, int repetition, double value) {
    values.computeIfAbsent(kind, key -> new TreeMap<>()).put(repetition, value);
  }

  /** Returns the values of one kind, or an empty object if there are none. */
  Figures figures(Kind kind) {
    Figures figures = new Figures();
    values.getOrDefault(kind, Map.of()).values().forEach(figures::add);
    return figures;
  }

  /**
   * Returns this cell's value divided by the other's, for each repetition in which both have a
   * value.
   */
  Figures ratio(Kind kind, Result other) {
    Figures figures = new Figures();
    Map<Integer, Double> below = other.values.getOrDefault(kind, Map.of());
    values
        .getOrDefault(kind, Map.of())
        .forEach(
            (repetition, value) -> {
              if (below.getOrDefault(repetition, 0.0) > 0) {
                figures.add(value / below.get(repetition));
              }
            });
    return figures;
  }

  Map<Double, Figures> curve() {
    return curve;
  }

  void point(double offered, double forwarded) {
    curve.computeIfAbsent(offered, key -> new Figures()).add(forwarded);
  }

  void tried(int more, int ofThemVoid, boolean senderKeptUp) {
    trials += more;
    voids += ofThemVoid;
    outrun &= senderKeptUp;
  }

  int trials() {
    return trials;
  }

  /** Returns the trials in which packets went past the module. */
  int voids() {
    return voids;
  }

  /** Returns true if the sender was always faster than the router. */
  boolean outrun() {
    return outrun;
  }

  /** Records a failed repetition and removes its values. */
  void failed(int repetition, String why) {
    reason = why == null ? "" : why.strip().lines().findFirst().orElse("");
    failures++;
    values.values().forEach(all -> all.remove(repetition));
  }

  /** Returns the reason why the cell could not be measured, or an empty string if it was. */
  String absent() {
    if (figures(Kind.PROCESSOR).count() > 0 || failures == 0) {
      return "";
    }
    return reason.isEmpty() ? "no reason given" : reason;
  }

  /** Returns true if the cell has failed and will fail again. */
  boolean hopeless() {
    return !absent().isEmpty() && failures >= 2;
  }

  /** Returns the number of failed repetitions. */
  int failures() {
    return failures;
  }

  /** Returns the reason of the last failure. */
  String reason() {
    return reason;
  }
}
