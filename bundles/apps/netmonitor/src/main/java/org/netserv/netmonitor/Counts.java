// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.util.function.Consumer;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/**
 * Two tables as one: what the packet thread has counted, and what the kernel has. Usually one of
 * them is empty; a node that is told to count in the kernel, or not to any more, fills both.
 *
 * @param own written by the packet thread
 * @param kernel written by the reading thread
 */
record Counts(FlowTable own, FlowTable kernel) {
  /** Reading thread: as {@link FlowTable#changed}; a row that both have changed comes twice. */
  void changed(Consumer<MonitorRow> sink) {
    own.changed(row -> sink.accept(kernel.plus(row)));
    kernel.changed(row -> sink.accept(own.plus(row)));
  }

  /** Any thread. */
  MonitorReport.Totals totals(long failed) {
    MonitorReport.Totals a = own.totals(failed);
    MonitorReport.Totals b = kernel.totals(0);
    return new MonitorReport.Totals(
        a.packets() + b.packets(),
        a.bytes() + b.bytes(),
        a.otherPackets() + b.otherPackets(),
        a.otherBytes() + b.otherBytes(),
        failed);
  }
}
