// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * State of the hosts of Serval and of their router between two rounds of a soak.
 *
 * @param held by name: what a sald or the router has in its tables
 * @param vitals of the processes
 */
record SoakState(Map<String, Long> held, Vitals vitals) {
  private static final List<String> TABLES = List.of("requests", "rules", "names", "associations");

  /** Takes the state. Flows are no part of it, because closed ones rest for a minute. */
  static SoakState take(SoakHosts hosts) throws IOException {
    Map<String, Long> held = new LinkedHashMap<>();
    Map<String, Long> pids = new LinkedHashMap<>();
    pids.put("container of the router", hosts.container());
    for (Map.Entry<String, SalHost> entry : hosts.hosts().entrySet()) {
      String of = "sald of " + entry.getKey();
      JsonNode status = entry.getValue().view("status");
      TABLES.forEach(table -> held.put(of + ", " + table, status.path(table).asLong()));
      pids.put(of, entry.getValue().pid());
    }
    held.put("router in the kernel, rules", hosts.rules());
    return new SoakState(held, Vitals.take(pids));
  }

  /** Shows both states. Returns true if nothing has grown since then. */
  boolean flat(SoakState then, Stage stage) {
    ResultTable table = new ResultTable("table", "entries", "then", "");
    boolean all = true;
    for (Map.Entry<String, Long> entry : held.entrySet()) {
      long before = then.held.get(entry.getKey());
      boolean flat = entry.getValue() <= before;
      table.row(entry.getKey(), before, entry.getValue(), flat ? "ok" : "GROWS");
      all &= flat;
    }
    stage.show(table);
    return vitals.flat(then.vitals, stage) && all;
  }
}
