// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rows of text under a heading. The first column is set left, the others right. */
public final class ResultTable {
  private static final Set<String> WRONG = Set.of("WRONG", "no");

  private final List<String[]> rows = new ArrayList<>();

  public ResultTable(String... heading) {
    rows.add(heading);
  }

  /** Adds a row with as many cells as the heading. */
  public ResultTable row(Object... cells) {
    String[] row = new String[rows.get(0).length];
    for (int i = 0; i < row.length; i++) {
      row[i] = String.valueOf(cells[i]);
    }
    rows.add(row);
    return this;
  }

  /**
   * Returns the rows, each an object of text by column. A column without a heading is {@code
   * result}.
   */
  ArrayNode json() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    String[] heading = rows.get(0);
    for (String[] row : rows.subList(1, rows.size())) {
      ObjectNode object = list.addObject();
      for (int c = 0; c < heading.length; c++) {
        object.put(heading[c].isEmpty() ? "result" : heading[c], row[c]);
      }
    }
    return list;
  }

  /** Returns the rows that end in {@code WRONG} or {@code no}, each as one line. */
  List<String> wrong() {
    return rows.subList(1, rows.size()).stream()
        .filter(row -> WRONG.contains(row[row.length - 1]))
        .map(row -> String.join("; ", row))
        .toList();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      for (int c = 0; c < rows.get(0).length; c++) {
        int width = width(c);
        String format = c == 0 ? "  %-" + width + "s" : "  %" + width + "s";
        text.append(format.formatted(rows.get(r)[c]));
      }
      text.append('\n');
      if (r == 0) {
        for (int c = 0; c < rows.get(0).length; c++) {
          text.append("  ").append("-".repeat(width(c)));
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  private int width(int column) {
    return Math.max(1, rows.stream().mapToInt(row -> row[column].length()).max().orElse(1));
  }
}
