// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/** Sends one report of the changed rows. Belongs to one thread, except {@link #failed}. */
final class ReportSender {
  /** Sends one datagram, or throws the reason. */
  interface Link {
    void send(ByteBuffer datagram) throws IOException;
  }

  private final Counts counts;
  private final MonitorSettings settings;
  private final Link link;
  private final Clock clock;
  private long sequence;
  private long before;
  private volatile long failed;

  ReportSender(Counts counts, MonitorSettings settings, Link link, Clock clock) {
    this.counts = counts;
    this.settings = settings;
    this.link = link;
    this.clock = clock;
    before = clock.millis();
  }

  /**
   * Sends a report. An unreachable collector costs its datagrams, which are counted. The next
   * report is sent all the same.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the sending thread
  void report() {
    List<MonitorRow> rows = new ArrayList<>();
    counts.changed(rows::add);
    long now = clock.millis();
    long interval = Math.min(Math.max(now - before, 0), 0xffffffffL);
    MonitorReport report =
        new MonitorReport(
            0,
            1,
            sequence++,
            now,
            interval,
            counts.totals(failed),
            settings.node(),
            settings.module(),
            rows);
    before = now;
    for (byte[] datagram : report.encode()) {
      try {
        link.send(ByteBuffer.wrap(datagram));
      } catch (IOException | RuntimeException e) { // a refusal by the sandbox is the latter
        failed++;
      }
    }
  }

  /** Returns the number of datagrams that could not be sent. */
  long failed() {
    return failed;
  }
}
