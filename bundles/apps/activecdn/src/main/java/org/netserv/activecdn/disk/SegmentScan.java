// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.io.IOException;

/** Reads the records that an earlier process wrote. Contents are not read. */
final class SegmentScan {
  /** The end that a scan found. */
  enum End {
    /** Behind the last record. */
    WHOLE,
    /** Within the last record, because the process or the machine ended while it was written. */
    TORN,
    /** At a record with a wrong sum. What follows cannot be found. */
    DAMAGED
  }

  /** Hears of records. */
  interface Hearer {
    void record(LogRecord.Head head, byte[] about, long contentAt);
  }

  private final Segment<?> segment;
  private final Hearer hearer;
  private long at = Segment.HEAD;

  SegmentScan(Segment<?> segment, Hearer hearer) {
    this.segment = segment;
    this.hearer = hearer;
  }

  /** The offset behind the last sound record. */
  long end() {
    return at;
  }

  /** Reads until the end. */
  End run() throws IOException {
    long size = segment.size();
    byte[] head = new byte[LogRecord.HEAD];
    while (at < size) {
      if (size - at < head.length) {
        return End.TORN;
      }
      segment.read(at, head);
      LogRecord.Head read = LogRecord.read(head);
      if (read == null) {
        return End.DAMAGED;
      }
      long rest = size - at - head.length - read.about();
      if (rest < 0 || rest < read.content()) {
        return End.TORN;
      }
      byte[] about = new byte[read.about()];
      segment.read(at + head.length, about);
      if (LogRecord.sum(about, about.length) != read.aboutSum()) {
        return End.DAMAGED;
      }
      long contentAt = at + head.length + about.length;
      hearer.record(read, about, contentAt);
      at = contentAt + read.content();
    }
    return End.WHOLE;
  }
}
