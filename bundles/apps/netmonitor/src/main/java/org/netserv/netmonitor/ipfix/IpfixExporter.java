// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.ipfix;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

/**
 * Turns counts that only grow into flow records. A record has the packets and bytes of a row since
 * the record before, and the times between which they came, to the interval of {@link #take}. One
 * thread.
 */
public final class IpfixExporter {
  private static final int COUNTED = 1; // systematic count-based sampling, RFC 5477, 8.2.1
  private static final long SELECTOR = 1; // the only one

  private final int domain;
  private final int sampling;
  private final Messages messages;
  private final Map<Key, Sent> rows = new HashMap<>();
  private final Map<Key, Changed> changed = new LinkedHashMap<>();
  private long before; // milliseconds of the last look

  /** The fields by which rows differ. */
  private record Key(
      int family,
      int ttl,
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow) {
    static Key of(MonitorRow row) {
      return new Key(
          row.family(),
          row.ttl(),
          row.sourceHigh(),
          row.sourceLow(),
          row.destinationHigh(),
          row.destinationLow());
    }
  }

  /** Counts that records have had. */
  private record Sent(long packets, long bytes) {
    static final Sent NONE = new Sent(0, 0);
  }

  /** A row that has changed since its last record, between two times in milliseconds. */
  private record Changed(MonitorRow row, long first, long last) {}

  /**
   * Makes an exporter.
   *
   * @param domain the observation domain, by which a collector tells exporters of an address apart
   * @param sampling the counts are of one packet in so many; 1 = of all
   * @param now milliseconds since 1970
   */
  public IpfixExporter(int domain, int sampling, long now) {
    this.domain = domain;
    this.sampling = sampling;
    messages = new Messages(domain);
    before = now;
  }

  /** Takes the rows that have changed since the last call, with their counts until now. */
  public void take(List<MonitorRow> news, long now) {
    for (MonitorRow row : news) {
      Key key = Key.of(row);
      Changed known = changed.get(key);
      changed.put(key, new Changed(row, known == null ? before : known.first, now));
    }
    before = now;
  }

  /**
   * Returns the messages of an export. There is one at least, with templates and options, which is
   * a sign of life.
   */
  public List<byte[]> export(MonitorReport.Totals totals, long now) {
    messages.begin(now);
    messages.add(
        Template.SAMPLING,
        out -> {
          out.putInt(domain).putLong(SELECTOR).putShort((short) COUNTED);
          out.putInt(1).putInt(sampling - 1);
        });
    messages.add(Template.SHARE, out -> out.putInt(domain).putInt(sampling));
    messages.add(
        Template.LOST,
        out -> out.putInt(domain).putLong(totals.otherPackets()).putLong(totals.otherBytes()));
    for (Template template : List.of(Template.FLOW_4, Template.FLOW_6)) {
      int family = template == Template.FLOW_4 ? 4 : 6;
      changed.forEach(
          (key, each) -> {
            if (key.family == family) {
              messages.add(template, out -> write(out, key, each));
            }
          });
    }
    changed.clear();
    return messages.end();
  }

  private void write(ByteBuffer out, Key key, Changed each) {
    MonitorRow row = each.row;
    Sent sent = rows.put(key, new Sent(row.packets(), row.bytes()));
    Sent base = sent == null ? Sent.NONE : sent;
    if (key.family == 4) {
      out.putInt((int) key.sourceLow).putInt((int) key.destinationLow);
    } else {
      out.putLong(key.sourceHigh).putLong(key.sourceLow);
      out.putLong(key.destinationHigh).putLong(key.destinationLow);
    }
    out.put((byte) key.family).put((byte) key.ttl);
    out.putLong(row.packets() - base.packets).putLong(row.bytes() - base.bytes);
    out.putLong(each.first).putLong(each.last).putLong(SELECTOR);
  }
}
