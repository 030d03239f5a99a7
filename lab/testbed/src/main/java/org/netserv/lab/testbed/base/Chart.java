// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.util.ArrayList;
import java.util.List;

/**
 * A series over time as plain text: one line for each second, with a bar and a note.
 *
 * <pre>
 *     1 s   300  ##############################
 *     2 s     0                                  deployed
 * </pre>
 */
public final class Chart {
  private static final int WIDTH = 50;

  private record Line(long value, String note) {}

  private final List<Line> lines = new ArrayList<>();

  /** Adds the next second. */
  public void add(long value, String note) {
    lines.add(new Line(value, note));
  }

  /** Returns the series as a table, for {@code --json}. */
  public ResultTable table(String unit) {
    ResultTable table = new ResultTable("second", unit, "");
    for (int i = 0; i < lines.size(); i++) {
      table.row(i + 1, lines.get(i).value(), lines.get(i).note());
    }
    return table;
  }

  /** Returns the chart with its heading. */
  public String text(String heading) {
    long most = Math.max(1, lines.stream().mapToLong(Line::value).max().orElse(1));
    StringBuilder text = new StringBuilder(heading).append('\n');
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      String bar = "#".repeat((int) Math.ceil((double) line.value() * WIDTH / most));
      text.append(
              "  %4d s %7d  %-50s  %s"
                  .formatted(i + 1, line.value(), bar, line.note())
                  .stripTrailing())
          .append('\n');
    }
    return text.toString();
  }
}
