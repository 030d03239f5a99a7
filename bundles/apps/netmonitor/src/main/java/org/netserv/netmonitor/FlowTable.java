// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/**
 * Counts by (source, destination, TTL) in one array of longs. The array is made once and uses open
 * addressing with linear probing. Rows are never removed. Rows in use are chained, the newest
 * first, so that a report skips tens of thousands of free rows.
 *
 * <pre>
 *   row: sourceHigh sourceLow destinationHigh destinationLow packets bytes key before
 *        key = 0: free; else family << 8 | ttl
 *        before: place of the row that was made before this one, + 1; 0 = it is the first
 * </pre>
 *
 * One thread counts ({@link #count}) and any one other thread reads ({@link #changed}), without
 * locks. The counting thread writes a new row's addresses first, then releases its key, then its
 * place in the chain. A reader that acquires a key sees its addresses. Counters have one writer and
 * are read opaquely. Each value was true a moment ago, and it only grows.
 */
final class FlowTable {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int WIDTH = 8;
  private static final int PACKETS = 4;
  private static final int BYTES = 5;
  private static final int KEY = 6;
  private static final int BEFORE = 7;
  private static final int PROBES = 32; // places looked at before a row counts as other

  private static final int TOTAL_PACKETS = 0;
  private static final int TOTAL_BYTES = 1;
  private static final int OTHER_PACKETS = 2;
  private static final int OTHER_BYTES = 3;
  private static final int NEWEST = 4; // row, + 1; 0 = none

  private final int mask;
  private final long[] rows;
  private final long[] totals = new long[5];
  private final long[] reported; // reader only: packets of each row when it was last shown

  /**
   * @param places a power of two
   */
  FlowTable(int places) {
    mask = places - 1;
    rows = new long[Math.multiplyExact(places, WIDTH)];
    reported = new long[places];
  }

  /** Counts packets of one row. Counting thread. Allocates nothing. */
  void count(
      int family,
      int ttl,
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      long packets,
      long bytes) {
    add(totals, TOTAL_PACKETS, packets);
    add(totals, TOTAL_BYTES, bytes);
    long key = (long) family << 8 | ttl;
    int place = hash(key, sourceHigh, sourceLow, destinationHigh, destinationLow);
    for (int i = 0; i < PROBES; i++) {
      int at = (place + i & mask) * WIDTH;
      if (rows[at + KEY] == 0) {
        rows[at] = sourceHigh;
        rows[at + 1] = sourceLow;
        rows[at + 2] = destinationHigh;
        rows[at + 3] = destinationLow;
        rows[at + BEFORE] = totals[NEWEST];
        LONGS.setRelease(rows, at + KEY, key);
        LONGS.setRelease(totals, NEWEST, 1L + at / WIDTH);
      }
      if (rows[at + KEY] == key
          && rows[at + 1] == sourceLow
          && rows[at + 3] == destinationLow
          && rows[at] == sourceHigh
          && rows[at + 2] == destinationHigh) {
        add(rows, at + BYTES, bytes);
        add(rows, at + PACKETS, packets);
        return;
      }
    }
    add(totals, OTHER_PACKETS, packets);
    add(totals, OTHER_BYTES, bytes);
  }

  /** Counts packets of an unknown flow. Counting thread. */
  void other(long packets, long bytes) {
    add(totals, TOTAL_PACKETS, packets);
    add(totals, TOTAL_BYTES, bytes);
    add(totals, OTHER_PACKETS, packets);
    add(totals, OTHER_BYTES, bytes);
  }

  private static void add(long[] array, int at, long value) {
    LONGS.setOpaque(array, at, array[at] + value);
  }

  private int hash(long key, long a, long b, long c, long d) {
    long hash = ((((key * 31 + a) * 31 + b) * 31 + c) * 31 + d) * 0x9e3779b97f4a7c15L;
    return (int) (hash >>> 32) & mask;
  }

  /**
   * Hands each row to the sink if its packet count has changed since the last call. Reading thread.
   */
  void changed(Consumer<MonitorRow> sink) {
    long next = (long) LONGS.getAcquire(totals, NEWEST);
    while (next != 0) {
      int place = (int) next - 1;
      int at = place * WIDTH;
      long packets = (long) LONGS.getOpaque(rows, at + PACKETS);
      if (packets != reported[place]) {
        reported[place] = packets;
        sink.accept(row(at, packets));
      }
      next = rows[at + BEFORE];
    }
  }

  private MonitorRow row(int at, long packets) {
    long key = rows[at + KEY];
    return new MonitorRow(
        (int) (key >>> 8),
        (int) key & 0xff,
        rows[at],
        rows[at + 1],
        rows[at + 2],
        rows[at + 3],
        packets,
        (long) LONGS.getOpaque(rows, at + BYTES));
  }

  /** Returns the row plus this table's counts under the same key. Reading thread. */
  MonitorRow plus(MonitorRow row) {
    long key = (long) row.family() << 8 | row.ttl();
    int place =
        hash(key, row.sourceHigh(), row.sourceLow(), row.destinationHigh(), row.destinationLow());
    for (int i = 0; i < PROBES; i++) {
      int at = (place + i & mask) * WIDTH;
      long there = (long) LONGS.getAcquire(rows, at + KEY);
      if (there == 0) {
        return row;
      }
      if (there == key
          && rows[at] == row.sourceHigh()
          && rows[at + 1] == row.sourceLow()
          && rows[at + 2] == row.destinationHigh()
          && rows[at + 3] == row.destinationLow()) {
        return new MonitorRow(
            row.family(),
            row.ttl(),
            row.sourceHigh(),
            row.sourceLow(),
            row.destinationHigh(),
            row.destinationLow(),
            row.packets() + (long) LONGS.getOpaque(rows, at + PACKETS),
            row.bytes() + (long) LONGS.getOpaque(rows, at + BYTES));
      }
    }
    return row;
  }

  /** Any thread. */
  MonitorReport.Totals totals(long failed) {
    return new MonitorReport.Totals(
        (long) LONGS.getOpaque(totals, TOTAL_PACKETS),
        (long) LONGS.getOpaque(totals, TOTAL_BYTES),
        (long) LONGS.getOpaque(totals, OTHER_PACKETS),
        (long) LONGS.getOpaque(totals, OTHER_BYTES),
        failed);
  }
}
