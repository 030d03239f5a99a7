// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.bench.mlffr.Result.Kind;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * Compares results with goals. Each ratio is of two cells in the same repetition. The median of
 * instructions decides, because instructions repeat. Rates and processor time do not repeat that
 * well, so they fail only when their whole interval is beyond the goal.
 */
final class Judge {
  /**
   * Highest ratio of the Java layer to C in one run, on any machine that runs other things, too.
   */
  private static final double COUNTS_MOST = 1.25;

  private static final int ENOUGH = 5;

  private final List<Result> results;
  private final boolean countable;
  private final List<String> missed = new ArrayList<>();
  private int open;

  Judge(List<Result> results, boolean countable) {
    this.results = results;
    this.countable = countable;
  }

  int goals(Report report) {
    String cost = countable ? "instructions" : "processor time";
    ResultTable table =
        new ResultTable("goal", cost, "90 %", "most", "", "rate", "90 % ", "least", " ", "paper");
    for (Goal goal : Goal.ALL) {
      row(table, goal);
    }
    report.show(table);
    latency(report);
    if (results.stream().noneMatch(result -> result.absent().isEmpty())) {
      return report.verdict(false, "nothing could be measured.");
    }
    String unmeasured = open == 0 ? "" : " (" + open + " not measured)";
    return report.verdict(
        missed.isEmpty(),
        missed.isEmpty()
            ? "no goal is missed" + unmeasured + "."
            : "missed" + unmeasured + ": " + String.join("; ", missed));
  }

  private void row(ResultTable table, Goal goal) {
    Result cell = find(goal.cell());
    Result beside = find(goal.beside());
    if (cell == null || beside == null) {
      open++;
      table.row(goal.what(), "not measured", "", "", "", "", "", "", "", goal.paper());
      return;
    }
    Figures cost = cell.ratio(countable ? Kind.INSTRUCTIONS : Kind.PROCESSOR, beside);
    Figures rate = cell.ratio(Kind.RATE, beside);
    if (cost.count() == 0 || rate.count() == 0) {
      open++;
      table.row(goal.what(), "not measured", "", "", "", "", "", "", "", goal.paper());
      return;
    }
    table.row(
        goal.what(),
        text(cost.median()),
        interval(cost),
        goal.most() == 0 ? "" : text(goal.most()),
        goal.most() == 0 ? "" : cost(goal, cost),
        text(rate.median()),
        interval(rate),
        text(goal.least()),
        rate(goal, rate),
        goal.paper());
  }

  private String cost(Goal goal, Figures cost) {
    double decides = countable ? cost.median() : cost.low();
    return said(goal.what() + ", cost", cost, cost.median() <= goal.most(), decides > goal.most());
  }

  private String rate(Goal goal, Figures rate) {
    return said(
        goal.what() + ", rate", rate, rate.median() >= goal.least(), rate.high() < goal.least());
  }

  private String said(String what, Figures figures, boolean met, boolean beyond) {
    if (met) {
      return "ok";
    }
    if (!beyond) {
      return "open"; // the interval contains the goal
    }
    if (figures.count() < ENOUGH && !countable) {
      return "beyond, n < " + ENOUGH;
    }
    missed.add(what + " " + text(figures.median()));
    return "MISSED";
  }

  /** Shows the latency of the Java path beside the latency of C in the same run. */
  private void latency(Report report) {
    ResultTable table = new ResultTable("at half of its rate, us", "p50", "90 %", "p99", "90 % ");
    for (String name : List.of("queue", "ring", "direct", "java")) {
      Result result = find(name);
      if (result != null && result.figures(Kind.P50).count() > 0) {
        Figures half = result.figures(Kind.P50);
        Figures most = result.figures(Kind.P99);
        table.row(
            result.cell().title(),
            micros(half.median()),
            micros(half.low()) + "-" + micros(half.high()),
            micros(most.median()),
            micros(most.low()) + "-" + micros(most.high()));
      }
    }
    report.show(table);
  }

  /**
   * Checks the results that must hold on any machine. Every packet was seen, and Java takes about
   * as many instructions as C.
   */
  int counts(Report report) {
    for (Result result : results) {
      if (!result.absent().isEmpty()) {
        missed.add(result.cell().name() + ": " + result.absent());
      }
    }
    String ratio = "the Java layer was not compared with C";
    Result java = find("direct");
    Result best = find("queue");
    if (java != null && best != null) {
      Kind kind = countable ? Kind.INSTRUCTIONS : Kind.PROCESSOR;
      double cost = java.ratio(kind, best).median();
      ratio =
          (countable ? "instructions" : "processor time") + " of the Java layer / C " + text(cost);
      // Processor time depends on the machine as much as on the code, so it is reported only.
      if (countable && cost > COUNTS_MOST) {
        missed.add(ratio + ", not " + text(COUNTS_MOST));
      }
    }
    return report.verdict(
        missed.isEmpty(),
        missed.isEmpty()
            ? "every packet was seen by its module; " + ratio + "."
            : String.join("; ", missed));
  }

  /** Returns the result of a cell, or null if there is none or it was not measured. */
  private Result find(String name) {
    return results.stream()
        .filter(result -> result.cell().name().equals(name) && result.absent().isEmpty())
        .findFirst()
        .orElse(null);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static String interval(Figures figures) {
    return text(figures.low()) + "-" + text(figures.high());
  }

  private static String micros(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
