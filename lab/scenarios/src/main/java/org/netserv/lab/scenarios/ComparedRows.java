// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.Arrays;
import java.util.stream.Stream;
import org.netserv.lab.testbed.base.ResultTable;

/** A table whose rows compare what is expected with what was seen, by their first characters. */
final class ComparedRows {
  private static final int SHOWN = 16;

  private final ResultTable table;
  private boolean holds = true;

  /** Makes an empty table with these columns in front of those of the comparison. */
  ComparedRows(String... columns) {
    table =
        new ResultTable(
            Stream.concat(Arrays.stream(columns), Stream.of("expected", "seen", ""))
                .toArray(String[]::new));
  }

  /** Adds a row. Its last two cells are compared as text. */
  void row(Object... cells) {
    int seen = cells.length - 1;
    boolean right = text(cells, seen - 1).equals(text(cells, seen));
    holds &= right;
    Object[] row = Arrays.copyOf(cells, cells.length + 1);
    row[seen - 1] = shown(text(cells, seen - 1));
    row[seen] = shown(text(cells, seen));
    row[seen + 1] = right ? "ok" : "WRONG";
    table.row(row);
  }

  private static String text(Object[] cells, int at) {
    return String.valueOf(cells[at]);
  }

  private static String shown(String text) {
    return text.length() > SHOWN ? text.substring(0, SHOWN) : text;
  }

  ResultTable table() {
    return table;
  }

  /** Tells whether all rows were as expected. */
  boolean hold() {
    return holds;
  }
}
