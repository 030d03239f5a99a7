// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.ipfix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;

class IpfixExporterTest {
  private static final MonitorReport.Totals TOTALS = new MonitorReport.Totals(9, 900, 3, 300, 0);
  private static final long MAPPED = 0xffffL << 32;
  private static final int HEAD = 16;

  private final IpfixExporter exporter = new IpfixExporter(7, 10, 1_000);

  private static MonitorRow row4(int last, long packets) {
    return new MonitorRow(4, 63, 0, MAPPED | 0xc0000201L, 0, MAPPED | last, packets, 100 * packets);
  }

  private static MonitorRow row6(long packets) {
    return new MonitorRow(6, 9, 0x20010db8L << 32, 1, 0x20010db8L << 32, 2, packets, 50 * packets);
  }

  /** Reads messages by the templates in them, as a collector does (RFC 7011, 3). */
  private static final class Collector {
    private final Map<Integer, int[][]> templates = new HashMap<>();
    final List<Map<Integer, Long>> records = new ArrayList<>();
    long sequence;

    void take(byte[] message) {
      ByteBuffer in = ByteBuffer.wrap(message);
      assertTrue(message.length <= Messages.MOST);
      assertEquals(10, in.getShort());
      assertEquals(message.length, in.getShort());
      in.getInt();
      assertEquals(sequence, in.getInt(), "sequence");
      assertEquals(7, in.getInt(), "domain");
      while (in.hasRemaining()) {
        int id = in.getShort();
        ByteBuffer set = in.slice(in.position(), in.getShort(in.position()) - 4 + 2);
        in.position(in.position() + set.remaining());
        set.getShort();
        if (id == 2 || id == 3) {
          describe(set, id == 3);
        } else {
          while (set.hasRemaining()) {
            record(set, id);
          }
        }
      }
    }

    private void describe(ByteBuffer set, boolean options) {
      int id = set.getShort();
      int[][] fields = new int[set.getShort()][];
      if (options) {
        assertEquals(1, set.getShort());
      }
      for (int i = 0; i < fields.length; i++) {
        fields[i] = new int[] {set.getShort(), set.getShort()};
      }
      templates.put(id, fields);
    }

    private void record(ByteBuffer set, int id) {
      Map<Integer, Long> record = new TreeMap<>();
      for (int[] field : templates.get(id)) {
        long value = 0;
        for (int i = 0; i < field[1]; i++) {
          value = value << 8 | (set.get() & 0xff); // of an IPv6 address its lower half
        }
        record.put(field[0], value);
      }
      record.put(0, (long) id);
      records.add(record);
      sequence++;
    }
  }

  @Test
  void recordsHaveWhatCameSinceTheLastOnes() {
    Collector collector = new Collector();
    exporter.take(List.of(row4(1, 5)), 1_500);
    exporter.take(List.of(row4(1, 8), row6(2)), 2_000);
    exporter.export(TOTALS, 2_000).forEach(collector::take);
    assertEquals(5, collector.records.size());
    assertEquals(
        Map.of(
            0,
            256L,
            8,
            0xc0000201L,
            12,
            1L,
            60,
            4L,
            192,
            63L,
            2,
            8L,
            1,
            800L,
            152,
            1_000L,
            153,
            2_000L,
            302,
            1L),
        collector.records.get(3));
    assertEquals(
        Map.of(
            0, 257L, 27, 1L, 28, 2L, 60, 6L, 192, 9L, 2, 2L, 1, 100L, 152, 1_500L, 153, 2_000L, 302,
            1L),
        collector.records.get(4));
    exporter.take(List.of(), 2_500);
    exporter.take(List.of(row4(1, 9)), 3_000);
    collector.records.clear();
    exporter.export(TOTALS, 3_000).forEach(collector::take);
    assertEquals(4, collector.records.size());
    assertEquals(1L, collector.records.get(3).get(2));
    assertEquals(100L, collector.records.get(3).get(1));
    assertEquals(2_500L, collector.records.get(3).get(152));
  }

  @Test
  void anExportWithoutFlowsTellsSamplingAndLoss() {
    Collector collector = new Collector();
    List<byte[]> messages = exporter.export(TOTALS, 5_999);
    assertEquals(1, messages.size());
    assertEquals(5, ByteBuffer.wrap(messages.get(0)).getInt(4), "seconds");
    collector.take(messages.get(0));
    assertEquals(
        List.of(
            Map.of(0, 258L, 149, 7L, 302, 1L, 304, 1L, 305, 1L, 306, 9L),
            Map.of(0, 260L, 149, 7L, 34, 10L),
            Map.of(0, 259L, 149, 7L, 167, 3L, 168, 300L)),
        collector.records);
  }

  @Test
  void manyRowsTakeManyMessages() {
    Collector collector = new Collector();
    List<MonitorRow> rows = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      rows.add(row4(i, i + 1));
    }
    rows.add(row6(1));
    exporter.take(rows, 1_500);
    List<byte[]> messages = exporter.export(TOTALS, 2_000);
    messages.forEach(collector::take);
    assertEquals(3 + 1_001, collector.records.size());
    assertTrue(messages.size() > 30 && messages.size() < 50, messages.size() + " messages");
    exporter.export(TOTALS, 3_000).forEach(collector::take);
  }

  /** The templates, byte by byte. */
  @Test
  void theTemplatesOnTheWire() {
    byte[] message = exporter.export(TOTALS, 0).get(0);
    String flow4 =
        "0002002c01000009"
            + "00080004"
            + "000c0004"
            + "003c0001"
            + "00c00001"
            + "00020008"
            + "00010008"
            + "00980008"
            + "00990008"
            + "012e0008";
    assertEquals(flow4, HexFormat.of().formatHex(message, HEAD, HEAD + 44));
    String sampling =
        "0003001e01020005"
            + "0001"
            + "00950004"
            + "012e0008"
            + "01300002"
            + "01310004"
            + "01320004";
    assertEquals(sampling, HexFormat.of().formatHex(message, HEAD + 88, HEAD + 88 + 30));
  }
}
