// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.List;
import java.util.Locale;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.bench.mlffr.Result.Kind;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;

/** Prints the results as a table for people. */
final class MlffrTables {
  private static final double KILO = 1000;

  private MlffrTables() {}

  static void show(List<Result> results, boolean countable, Report report) {
    ResultTable table =
        new ResultTable(
            "router",
            "name",
            "bytes",
            "cores",
            "n",
            "kpps",
            "90 %",
            "ns/packet",
            "90 % ",
            "instructions",
            "cycles",
            "p50 us",
            "p99 us",
            "trials",
            "void");
    for (Result result : results) {
      row(table, result);
    }
    report.show(table);
    for (Result result : results) {
      if (!result.absent().isEmpty()) {
        report.out().println("  " + result.cell().name() + ": not measured: " + result.absent());
      }
      if (result.absent().isEmpty() && result.failures() > 0) {
        report
            .out()
            .printf(
                "  %s: %d repetitions came to nothing: %s%n",
                result.cell().name(), result.failures(), result.reason());
      }
      if (!result.outrun()) {
        report.out().println("  " + result.cell().name() + ": the sender was the limit");
      }
    }
    if (!countable) {
      report
          .out()
          .println(
              "  This machine counts no instructions: goals are judged by processor time, and fail"
                  + " when the whole interval is beyond them.");
    }
  }

  private static void row(ResultTable table, Result result) {
    Cell cell = result.cell();
    Figures rate = result.figures(Kind.RATE);
    Figures time = result.figures(Kind.PROCESSOR);
    table.row(
        cell.title(),
        cell.name(),
        cell.bytes(),
        cell.cores(),
        time.count(),
        median(rate, KILO),
        interval(rate, KILO),
        median(time, 1),
        interval(time, 1),
        median(result.figures(Kind.INSTRUCTIONS), 1),
        median(result.figures(Kind.CYCLES), 1),
        median(result.figures(Kind.P50), 1),
        median(result.figures(Kind.P99), 1),
        result.trials(),
        result.voids());
  }

  private static String median(Figures figures, double unit) {
    return figures.count() == 0 ? "-" : text(figures.median() / unit);
  }

  private static String interval(Figures figures, double unit) {
    return figures.count() == 0
        ? "-"
        : text(figures.low() / unit) + "-" + text(figures.high() / unit);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }
}
