// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MonitorReportTest {
  private static final MonitorRow FOUR =
      new MonitorRow(4, 63, 0, 0xffffc0000201L, 0, 0xffffcb007109L, 5, 1700);
  private static final MonitorRow SIX =
      new MonitorRow(6, 255, 0x20010db8_00000000L, 1, 0x20010db8_00000000L, 2, -1, Long.MAX_VALUE);

  private static MonitorReport report(List<MonitorRow> rows) {
    return new MonitorReport(
        0, 1, 7, 1000, 500, new MonitorReport.Totals(1, 2, 3, 4, 5), "näh", "M", rows);
  }

  @Test
  void bytesAreThoseOfThePage() {
    String head =
        "4e534e4d"
            + "0100"
            + "0000"
            + "0001"
            + "0001"
            + "0000000000000007"
            + "00000000000003e8"
            + "000001f4"
            + "0000000000000001"
            + "0000000000000002"
            + "0000000000000003"
            + "0000000000000004"
            + "0000000000000005"
            + "046ec3a468"
            + "014d";
    String row = "043f" + "c0000201" + "cb007109" + "0000000000000005" + "00000000000006a4";
    byte[] datagram = report(List.of(FOUR)).encode().get(0);
    assertEquals(head + row, HexFormat.of().formatHex(datagram));
    assertEquals("192.0.2.1", FOUR.source().getHostAddress());
    assertEquals("203.0.113.9", FOUR.destination().getHostAddress());
  }

  @Test
  void whatIsEncodedIsDecoded() throws ReportException {
    MonitorReport report = report(List.of(FOUR, SIX));
    assertEquals(report, MonitorReport.decode(ByteBuffer.wrap(report.encode().get(0))));
    MonitorReport empty = report(List.of());
    assertEquals(1, empty.encode().size());
    assertEquals(empty, MonitorReport.decode(ByteBuffer.wrap(empty.encode().get(0))));
  }

  @Test
  void manyRowsTakeManyDatagramsOfBoundedLength() throws ReportException {
    List<MonitorRow> rows = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      rows.add(i % 2 == 0 ? FOUR : SIX);
    }
    List<byte[]> datagrams = report(rows).encode();
    List<MonitorRow> read = new ArrayList<>();
    for (int i = 0; i < datagrams.size(); i++) {
      assertTrue(datagrams.get(i).length <= MonitorReport.DATAGRAM_MOST);
      MonitorReport part = MonitorReport.decode(ByteBuffer.wrap(datagrams.get(i)));
      assertEquals(i, part.part());
      assertEquals(datagrams.size(), part.parts());
      read.addAll(part.rows());
    }
    assertEquals(rows, read);
  }

  @Test
  void longNamesAreCutAtACharacter() throws ReportException {
    MonitorReport report =
        new MonitorReport(
            0,
            1,
            0,
            0,
            0,
            new MonitorReport.Totals(0, 0, 0, 0, 0),
            "x" + "ä".repeat(60),
            "",
            List.of());
    MonitorReport read = MonitorReport.decode(ByteBuffer.wrap(report.encode().get(0)));
    assertEquals("x" + "ä".repeat(31), read.node());
  }

  private static String fault(byte[] datagram) {
    return assertThrows(
            ReportException.class, () -> MonitorReport.decode(ByteBuffer.wrap(datagram)))
        .field();
  }

  private static byte[] with(int at, int value) {
    byte[] datagram = report(List.of(FOUR)).encode().get(0);
    datagram[at] = (byte) value;
    return datagram;
  }

  @Test
  void eachFaultNamesItsField() {
    assertEquals("length", fault(new byte[73]));
    assertEquals("length", fault(new byte[1401]));
    assertEquals("magic", fault(with(0, 0)));
    assertEquals("version", fault(with(4, 2)));
    assertEquals("part", fault(with(7, 1)));
    assertEquals("part", fault(with(9, 0)));
    assertEquals("row", fault(with(11, 2)));
    assertEquals("row", fault(with(10, 255)));
    assertEquals("name", fault(with(72, 65)));
    assertEquals("name", fault(with(72, 60)));
    assertEquals("name", fault(with(74, 0x28)));
    assertEquals("family", fault(with(79, 5)));
    assertEquals("row", fault(with(79, 6)));
  }

  @Test
  void laterMinorVersionsMayAddBytes() throws ReportException {
    byte[] datagram = Arrays.copyOf(with(5, 9), 200);
    assertEquals(List.of(FOUR), MonitorReport.decode(ByteBuffer.wrap(datagram)).rows());
  }

  @Test
  void truncatedAtEachLengthIsRefused() {
    byte[] whole = report(List.of(FOUR, SIX)).encode().get(0);
    for (int cut = 0; cut < whole.length; cut++) {
      fault(Arrays.copyOf(whole, cut));
    }
  }

  @Test
  void mutatedNeverThrowsAnythingElse() {
    Random random = new Random(500);
    byte[] whole = report(List.of(FOUR, SIX, FOUR)).encode().get(0);
    int read = 0;
    for (int round = 0; round < 100_000; round++) {
      byte[] bad = Arrays.copyOf(whole, whole.length - random.nextInt(2) * random.nextInt(40));
      for (int i = random.nextInt(4); i >= 0; i--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      try {
        read += MonitorReport.decode(ByteBuffer.wrap(bad)).rows().size() > 0 ? 1 : 0;
      } catch (ReportException e) {
        assertTrue(e.getMessage().startsWith(e.field() + ": "));
      }
    }
    assertTrue(read > 1000, "only " + read + " were still reports");
  }
}
