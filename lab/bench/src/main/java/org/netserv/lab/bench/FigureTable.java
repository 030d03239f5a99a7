// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.testbed.base.ResultTable;

/** Measured numbers by what they are and whose they are, with those of processor time first. */
public final class FigureTable {
  private static final String FIRST = "CPU";

  private final Map<String, Map<String, Figures>> figures = new LinkedHashMap<>();

  /** Returns the numbers of one kind of a server, which may be none yet. */
  public Figures of(String server, String what) {
    return figures
        .computeIfAbsent(what, w -> new LinkedHashMap<>())
        .computeIfAbsent(server, s -> new Figures());
  }

  /** Returns count, median and an interval that holds the median with 90 percent. */
  public ResultTable table() {
    ResultTable table = new ResultTable("what", "server", "n", "median", "90 % of it within");
    List<String> names = new ArrayList<>(figures.keySet());
    names.sort((one, other) -> Boolean.compare(other.startsWith(FIRST), one.startsWith(FIRST)));
    for (String what : names) {
      figures
          .get(what)
          .forEach(
              (server, f) ->
                  table.row(
                      what,
                      server,
                      f.count(),
                      text(f.median()),
                      text(f.low()) + " - " + text(f.high())));
    }
    return table;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
