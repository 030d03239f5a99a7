// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.util.Arrays;
import java.util.function.Consumer;
import org.netserv.packet.Flow;
import org.netserv.packet.Flows;

/**
 * Adds the kernel's new counts since the last look to a table. Kernel counts that differ in more
 * than source, destination and TTL add up in one row here. A field that the kernel does not tell
 * apart is 0. Belongs to the reading thread.
 *
 * <pre>
 *   place of a count -> its last values: sourceHigh sourceLow destinationHigh destinationLow
 *                                        key packets bytes
 * </pre>
 */
final class KernelCounts {
  private static final int WIDTH = 7;
  private static final int KEY = 4;
  private static final int PACKETS = 5;
  private static final int BYTES = 6;
  private static final int PLACES_AT_FIRST = 64;

  private final Flows flows;
  private final FlowTable table;
  private final Consumer<Flow> visitor = this::take;
  private long[] last = new long[PLACES_AT_FIRST * WIDTH];
  private boolean begun;

  /**
   * Takes a first look without counting, because the counts that are there belong to an earlier
   * reader.
   */
  KernelCounts(Flows flows, FlowTable table) {
    this.flows = flows;
    this.table = table;
    look();
    begun = true;
  }

  /** Reads the kernel's counts. Allocates nothing once there were as many counts. */
  void look() {
    flows.counts(visitor);
  }

  private void take(Flow flow) {
    int at = flow.place() * WIDTH;
    if (at >= last.length) {
      last = Arrays.copyOf(last, Math.max(at + WIDTH, 2 * last.length));
    }
    boolean goesOn = same(at, flow) && flow.packets() >= last[at + PACKETS];
    long packets = flow.packets() - (goesOn ? last[at + PACKETS] : 0);
    long bytes = flow.bytes() - (goesOn ? last[at + BYTES] : 0);
    remember(at, flow);
    if (!begun || (packets | bytes) == 0) {
      return;
    }
    if (flow.family() == 0) {
      table.other(packets, bytes);
    } else {
      table.count(
          flow.family(),
          flow.ttl(),
          flow.sourceHigh(),
          flow.sourceLow(),
          flow.destinationHigh(),
          flow.destinationLow(),
          packets,
          bytes);
    }
  }

  private boolean same(int at, Flow flow) {
    return last[at + KEY] == key(flow)
        && last[at] == flow.sourceHigh()
        && last[at + 1] == flow.sourceLow()
        && last[at + 2] == flow.destinationHigh()
        && last[at + 3] == flow.destinationLow();
  }

  private void remember(int at, Flow flow) {
    last[at] = flow.sourceHigh();
    last[at + 1] = flow.sourceLow();
    last[at + 2] = flow.destinationHigh();
    last[at + 3] = flow.destinationLow();
    last[at + KEY] = key(flow);
    last[at + PACKETS] = flow.packets();
    last[at + BYTES] = flow.bytes();
  }

  private static long key(Flow flow) {
    return (long) flow.sourcePort() << 48
        | (long) flow.destinationPort() << 32
        | (long) flow.protocol() << 16
        | (long) flow.ttl() << 8
        | flow.family();
  }
}
