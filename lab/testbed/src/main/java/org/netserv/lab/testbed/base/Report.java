// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The report of a scenario or a demo: text for people while it runs, and one document at its end.
 */
public final class Report {
  private final PrintStream out;
  private final List<ResultTable> tables = new ArrayList<>();
  private String verdict = "";
  private boolean holds;

  /**
   * Makes an empty report.
   *
   * @param out takes the text
   */
  public Report(PrintStream out) {
    this.out = out;
  }

  public PrintStream out() {
    return out;
  }

  /** Prints a table and keeps it. */
  public void show(ResultTable table) {
    tables.add(table);
    out.println();
    out.print(table);
  }

  /** Keeps a table for the document alone, because its text form was printed otherwise. */
  public void keep(ResultTable table) {
    tables.add(table);
  }

  /**
   * Prints the verdict as the last line and returns the exit status. If it is bad, the wrong rows
   * of all tables come once more above it.
   */
  public int verdict(boolean good, String text) {
    holds = good;
    verdict = text;
    out.println();
    if (!good) {
      tables.stream().flatMap(table -> table.wrong().stream()).forEach(out::println);
    }
    out.println("VERDICT: " + text);
    return good ? 0 : 1;
  }

  /** Records that there is no verdict. The caller has printed the reason. */
  public void failed(String reason) {
    holds = false;
    verdict = reason;
  }

  /**
   * Returns the document: {@code holds}, {@code verdict}, and {@code tables}. Each table is a list
   * of rows, {@code column: cell}.
   */
  public ObjectNode json() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("holds", holds).put("verdict", verdict);
    ArrayNode list = document.putArray("tables");
    tables.forEach(table -> list.add(table.json()));
    return document;
  }
}
