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
 * Compares instructions per packet with the expected values and with the goals. The instructions
 * are the same on any host. So a goal is either met or missed, and a row that takes 2 % more than
 * expected has changed.
 */
final class ExactJudge {
  /** Ratio to the expected value above which a row fails. */
  private static final double MOST = 1.02;

  private final List<Result> results;
  private final Expected expected;
  private final List<String> wrong = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();

  ExactJudge(List<Result> results, Expected expected) {
    this.results = results;
    this.expected = expected;
  }

  /**
   * Prints both tables and the verdict. A missed goal is reported but does not fail the run,
   * because the file of expected values already limits each row.
   */
  int judge(Report report) {
    rows(report);
    goals(report);
    String told = missed.isEmpty() ? "" : "; goals missed: " + String.join("; ", missed);
    return report.verdict(
        wrong.isEmpty(),
        (wrong.isEmpty() ? "as many instructions as expected" : String.join("; ", wrong)) + told);
  }

  private void rows(Report report) {
    ResultTable table =
        new ResultTable("row", "instructions a packet", "beside it", "expected", "ratio", "");
    for (Result result : results) {
      String name = result.cell().name();
      if (!result.absent().isEmpty()) {
        wrong.add(name + ": " + result.absent());
        continue;
      }
      double found = result.figures(Kind.INSTRUCTIONS).median();
      String beside = number(result.figures(Kind.BESIDE).median());
      Long before = expected.rows().get(name);
      if (before == null) {
        table.row(name, number(found), beside, "none of " + expected.machine(), "", "not compared");
      } else {
        table.row(
            name,
            number(found),
            beside,
            number((double) before),
            ratio(found / before),
            said(name, found));
      }
    }
    report.show(table);
  }

  private String said(String name, double found) {
    long before = expected.rows().get(name);
    if (found > (double) before * MOST) {
      wrong.add(
          "%s takes %s instructions, %s expected on %s"
              .formatted(name, number(found), number((double) before), expected.machine()));
      return "MORE";
    }
    return found * MOST < (double) before ? "less: put the new number into the file" : "ok";
  }

  private void goals(Report report) {
    ResultTable table = new ResultTable("goal", "ratio", "most", "");
    for (Goal goal : Goal.ALL) {
      Figures cell = instructions(goal.cell());
      Figures beside = instructions(goal.beside());
      if (goal.most() == 0 || cell.count() == 0 || beside.count() == 0) {
        continue;
      }
      double ratio = cell.median() / beside.median();
      boolean met = ratio <= goal.most();
      table.row(goal.what(), ratio(ratio), ratio(goal.most()), met ? "ok" : "MISSED");
      if (!met) {
        missed.add(goal.what() + " " + ratio(ratio));
      }
    }
    report.show(table);
  }

  private Figures instructions(String name) {
    return results.stream()
        .filter(result -> result.cell().name().equals(name))
        .findFirst()
        .map(result -> result.figures(Kind.INSTRUCTIONS))
        .orElseGet(Figures::new);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String ratio(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
