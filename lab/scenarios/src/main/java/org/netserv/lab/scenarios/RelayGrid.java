// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.base.ResultTable;

/** Counts how often each combination held. Options are lines, and client legs are columns. */
final class RelayGrid {
  private final Map<String, Map<RelayLeg, Count>> lines = new LinkedHashMap<>();

  private static final class Count {
    private int held;
    private int tried;
  }

  void add(RelayResult result) {
    Count count =
        lines
            .computeIfAbsent(result.row().what(), what -> new EnumMap<>(RelayLeg.class))
            .computeIfAbsent(result.row().leg(), leg -> new Count());
    count.tried++;
    count.held += result.holds() ? 1 : 0;
  }

  /** Returns the table, with the legs that were tried. */
  ResultTable table() {
    List<RelayLeg> legs =
        Arrays.stream(RelayLeg.values())
            .filter(leg -> lines.values().stream().anyMatch(line -> line.containsKey(leg)))
            .toList();
    String[] heading = new String[legs.size() + 2];
    heading[0] = "options: held/tried";
    heading[heading.length - 1] = "";
    for (int i = 0; i < legs.size(); i++) {
      heading[i + 1] = legs.get(i).text();
    }
    ResultTable table = new ResultTable(heading);
    lines.forEach((what, line) -> table.row(cells(what, line, legs)));
    return table;
  }

  private static Object[] cells(String what, Map<RelayLeg, Count> line, List<RelayLeg> legs) {
    Object[] cells = new Object[legs.size() + 2];
    cells[0] = what;
    boolean holds = true;
    for (int i = 0; i < legs.size(); i++) {
      Count count = line.get(legs.get(i));
      cells[i + 1] = count == null ? "" : count.held + "/" + count.tried;
      holds &= count == null || count.held == count.tried;
    }
    cells[cells.length - 1] = holds ? "ok" : "FAILED";
    return cells;
  }
}
