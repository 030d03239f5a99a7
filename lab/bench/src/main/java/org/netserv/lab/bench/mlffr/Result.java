// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.bench.Figures;

/** What has been measured of a cell; one value of each repetition, by its number. */
final class Result {
  /** What is measured. */
  enum Kind {
    /** Packets a second without loss. */
    RATE,
    /** Nanoseconds of the router's tasks for a packet. */
    PROCESSOR,
    INSTRUCTIONS,
    CYCLES,
    /** Microseconds on the way at half of the rate. */
    P50,
    P99
  }

  private final Cell cell;
  private final Map<Kind, Map<Integer, Double>> values = new TreeMap<>();

  /** Offered packets a second, and what was forwarded of them in each repetition. */
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

  /** Empty if there are none. */
  Figures figures(Kind kind) {
    Figures figures = new Figures();
    values.getOrDefault(kind, Map.of()).values().forEach(figures::add);
    return figures;
  }

  /** This one's value by the other's, of each repetition that has both. */
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

  /** Trials in which packets went past the module. */
  int voids() {
    return voids;
  }

  /** Whether the sender was always faster than the router. */
  boolean outrun() {
    return outrun;
  }

  /** A repetition came to nothing; what it had put is taken back. */
  void failed(int repetition, String why) {
    reason = why == null ? "" : why.strip().lines().findFirst().orElse("");
    failures++;
    values.values().forEach(all -> all.remove(repetition));
  }

  /** Why, if it could not be measured; else empty. */
  String absent() {
    if (figures(Kind.PROCESSOR).count() > 0 || failures == 0) {
      return "";
    }
    return reason.isEmpty() ? "no reason given" : reason;
  }

  /** It has failed, and will again. */
  boolean hopeless() {
    return !absent().isEmpty() && failures >= 2;
  }

  /** Repetitions that came to nothing. */
  int failures() {
    return failures;
  }

  /** Why the last of them did. */
  String reason() {
    return reason;
  }
}
