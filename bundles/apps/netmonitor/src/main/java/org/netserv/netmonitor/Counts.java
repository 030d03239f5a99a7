// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.util.function.Consumer;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/**
 * Joins the packet thread's counts and the kernel's counts as one table. Usually one of the two is
 * empty. Both fill up on a node that changes between counting in the kernel and counting in the
 * module.
 *
 * @param own written by the packet thread
 * @param kernel written by the reading thread
 */
record Counts(FlowTable own, FlowTable kernel) {
  /**
   * Works like {@link FlowTable#changed}. A row that changed in both tables comes twice. Reading
   * thread only.
   */
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
