// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.bench.serval.Goal.Bound;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * The goals of some parts beside their measured numbers. A goal of one of these parts without a
 * number is missed.
 */
final class GoalTable {
  private static final double SMALL = 100;
  private static final double SMALLEST = 10;
  private static final int MEDIAN = 50;
  private static final int WHOLE = 100;

  private final Set<Part> parts;
  private final Map<Goal, Map<String, Figures>> measured = new HashMap<>();
  private final Map<Part, String> controls = new EnumMap<>(Part.class);

  GoalTable(Set<Part> parts) {
    this.parts = parts;
  }

  /** Takes the numbers of a goal that has no variants, or the only one. */
  void put(Goal goal, Figures figures) {
    if (goal.variants().size() != 1) {
      throw new IllegalArgumentException(goal.text() + " has variants");
    }
    put(goal, goal.variants().get(0), figures);
  }

  /** Takes the numbers of a variant of a goal. */
  void put(Goal goal, String variant, Figures figures) {
    if (!goal.variants().contains(variant)) {
      throw new IllegalArgumentException(goal.text() + " has no variant " + variant);
    }
    measured.computeIfAbsent(goal, unused -> new HashMap<>()).put(variant, figures);
  }

  /** Takes the congestion control with which a part has measured. */
  void control(Part part, String name) {
    controls.put(part, name);
  }

  private Figures of(Goal goal, String variant) {
    Figures figures = measured.getOrDefault(goal, Map.of()).get(variant);
    return figures == null || figures.count() == 0 ? null : figures;
  }

  /** Returns true if the number of each promised goal is there and good. */
  boolean met() {
    return met(true) == met(false);
  }

  /** Returns a sentence with the number of the goals that are met. */
  String sentence() {
    return met(true) + " of " + met(false) + " goals are met.";
  }

  /** Counts the promised goals of the parts: all, or the ones that are met. */
  private int met(boolean only) {
    int count = 0;
    for (Goal goal : Goal.ALL) {
      if (!parts.contains(goal.part()) || !goal.bound().promised()) {
        continue;
      }
      for (String variant : goal.variants()) {
        Figures figures = of(goal, variant);
        boolean holds = figures != null && goal.bound().holds(figures);
        count += holds || !only ? 1 : 0;
      }
    }
    return count;
  }

  /** Returns all rows of the parts. */
  ResultTable table() {
    ResultTable table =
        new ResultTable(
            "goal", "congestion control", "n", "measured", "90 % interval or range", "bound", "");
    for (Goal goal : Goal.ALL) {
      if (parts.contains(goal.part())) {
        goal.variants().forEach(variant -> row(table, goal, variant));
      }
    }
    return table;
  }

  private void row(ResultTable table, Goal goal, String variant) {
    Figures figures = of(goal, variant);
    Bound bound = goal.bound();
    table.row(
        goal.row(variant),
        controls.getOrDefault(goal.part(), ""),
        figures == null ? 0 : figures.count(),
        figures == null ? "not measured" : text(bound.judged(figures)),
        figures == null ? "" : spread(bound, figures),
        bound(bound),
        verdict(bound, figures));
  }

  private static String verdict(Bound bound, Figures figures) {
    if (bound.side() == Bound.Side.NONE) {
      return figures == null ? "missing" : "printed";
    }
    boolean holds = figures != null && bound.holds(figures);
    if (!bound.promised()) {
      return holds ? "reached" : "not reached";
    }
    return holds ? "met" : "MISSED";
  }

  private static String bound(Bound bound) {
    return switch (bound.side()) {
      case NONE -> "";
      case LEAST -> ">= " + text(bound.value());
      case MOST -> "<= " + text(bound.value());
    };
  }

  /** Returns an interval of the median, or the range of the numbers whose percentile is judged. */
  private static String spread(Bound bound, Figures figures) {
    return bound.percentile() == MEDIAN
        ? text(figures.low()) + " - " + text(figures.high())
        : text(figures.least()) + " - " + text(figures.percentile(WHOLE));
  }

  private static String text(double value) {
    String format = value >= SMALL ? "%,.0f" : value >= SMALLEST ? "%.1f" : "%.3f";
    return String.format(Locale.ROOT, format, value);
  }
}
