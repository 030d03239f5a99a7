// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.time.Clock;
import java.util.List;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/** Sends reports of changed rows. Belongs to one thread. */
final class ReportSender {
  private final MonitorSettings settings;
  private final Outlet outlet;
  private final Clock clock;
  private long sequence;
  private long before;

  ReportSender(MonitorSettings settings, Outlet outlet, Clock clock) {
    this.settings = settings;
    this.outlet = outlet;
    this.clock = clock;
    before = clock.millis();
  }

  /**
   * Sends a report.
   *
   * @param rows that have changed since the last one
   */
  void report(List<MonitorRow> rows, MonitorReport.Totals totals) {
    long now = clock.millis();
    long interval = Math.min(Math.max(now - before, 0), 0xffffffffL);
    MonitorReport report =
        new MonitorReport(
            0, 1, sequence++, now, interval, totals, settings.node(), settings.module(), rows);
    before = now;
    outlet.send(report.encode());
  }
}
