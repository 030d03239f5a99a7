// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.util.Locale;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.base.ResultTable;

/** Medians beside their goals, and whether all goals are met. */
final class GoalTable {
  private static final double SMALL = 100;

  private final ResultTable table =
      new ResultTable("what", "n", "median", "90 % interval of it", "goal", "");
  private boolean met = true;

  /** Adds a row that has no goal. */
  void row(String what, Figures figures) {
    add(what, figures, "", "");
  }

  /** Adds a row; its median has to reach a goal. */
  void least(String what, Figures figures, double goal) {
    judge(what, figures, ">= " + text(goal), figures.median() >= goal);
  }

  /** Adds a row; its median may not exceed a goal. */
  void most(String what, Figures figures, double goal) {
    judge(what, figures, "<= " + text(goal), figures.median() <= goal);
  }

  private void judge(String what, Figures figures, String goal, boolean reached) {
    met &= reached;
    add(what, figures, goal, reached ? "ok" : "MISSED");
  }

  private void add(String what, Figures figures, String goal, String verdict) {
    String spread = text(figures.low()) + " - " + text(figures.high());
    table.row(what, figures.count(), text(figures.median()), spread, goal, verdict);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < SMALL ? "%.2f" : "%,.0f", value);
  }

  ResultTable table() {
    return table;
  }

  boolean met() {
    return met;
  }
}
