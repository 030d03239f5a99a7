// SPDX-License-Identifier: Apache-2.0
package org.netserv.command;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Left-aligned columns for a terminal. A column is as wide as its widest cell. */
public final class Table {
  private final List<String[]> rows = new ArrayList<>();

  public Table(String... heads) {
    rows.add(heads.clone());
  }

  public Table row(Object... cells) {
    String[] row = new String[cells.length];
    for (int i = 0; i < cells.length; i++) {
      row[i] = printable(String.valueOf(cells[i]));
    }
    rows.add(row);
    return this;
  }

  public void print(PrintWriter out) {
    int[] widths = widths();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        line.append(row[i]);
        if (i < row.length - 1) {
          line.append(" ".repeat(widths[i] - row[i].length() + 2));
        }
      }
      out.println(line.toString().stripTrailing());
    }
    out.flush();
  }

  private int[] widths() {
    int[] widths = new int[rows.stream().mapToInt(row -> row.length).max().orElse(0)];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    return widths;
  }

  /**
   * Replaces control characters by {@code ?}, because a text from a node or a module may hold
   * anything and a terminal obeys them.
   */
  public static String printable(String text) {
    return text.codePoints()
        .map(c -> Character.isISOControl(c) ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
