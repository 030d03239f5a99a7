// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.testbed.base.ResultTable;

/** Measures the time of one handshake while there is no other: by datagram, TCP and TLS. */
final class TimesBench {
  private static final String[][] KINDS = {
    {"D-mode", "d", "reused"},
    {"C-mode TCP, new association", "tcp", "new"},
    {"C-mode TCP, association reused", "tcp", "reused"},
    {"C-mode TLS, new association", "tls", "new"},
    {"C-mode TLS, association reused", "tls", "reused"},
  };

  private final Bench bench;

  TimesBench(Bench bench) {
    this.bench = bench;
  }

  ResultTable run() throws IOException {
    ResultTable table =
        new ResultTable(
            "one handshake at a time, ms",
            "Confirm and Data left, p50",
            "p99",
            "answer is here, p50",
            "p99 ",
            "load average");
    for (String[] kind : KINDS) {
      bench.step(kind[0] + ": " + bench.plan().samples() + " handshakes, one after the other");
      try (Conversation times =
          Conversation.start(
              bench.testbed(),
              Bench.LOAD,
              "times-" + kind[1] + "-" + kind[2],
              GistTimes.class,
              kind[1],
              kind[2],
              Bench.LOAD_ADDRESS,
              Bench.TARGET_ADDRESS,
              bench.plan().samples())) {
        Map<String, Double> found = times.answer();
        table.row(
            kind[0],
            millis(found, "left50"),
            millis(found, "left99"),
            millis(found, "answer50"),
            millis(found, "answer99"),
            Bench.machineLoad());
      }
    }
    return table;
  }

  private static String millis(Map<String, Double> found, String name) {
    double micros = found.get(name);
    return micros == 0 ? "" : String.format(Locale.ROOT, "%.2f", micros / 1000);
  }
}
