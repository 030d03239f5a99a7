// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.time.Clock;
import java.util.List;
import org.netserv.netmonitor.ipfix.IpfixExporter;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/** Exports changed rows by IPFIX, as often as the settings say. Belongs to one thread. */
final class IpfixSender {
  private final IpfixExporter exporter;
  private final Outlet outlet;
  private final Clock clock;
  private final long interval;
  private long due;

  IpfixSender(MonitorSettings.Ipfix settings, Outlet outlet, Clock clock) {
    this.outlet = outlet;
    this.clock = clock;
    interval = 1000L * settings.seconds();
    long now = clock.millis();
    exporter = new IpfixExporter(settings.domain(), settings.sampling(), now);
    due = now + interval;
  }

  /**
   * Takes rows, and exports what was taken when it is time.
   *
   * @param rows that have changed since the last call
   */
  void report(List<MonitorRow> rows, MonitorReport.Totals totals) {
    long now = clock.millis();
    exporter.take(rows, now);
    if (now >= due || now < due - interval) { // the latter: somebody has set the clock back
      due = now + interval;
      outlet.send(exporter.export(totals, now));
    }
  }
}
