// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.report;

import static org.netserv.netmonitor.report.ReportException.require;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One datagram of a report. The layout is in docs/protocols/netmonitor.md. Encode a whole report
 * with {@link #encode}, read datagrams with {@link #decode}. Immutable.
 *
 * @param part number of this datagram, from 0, of {@code parts}
 * @param sequence number of the report
 * @param timeMillis end of the interval, since 1970 UTC
 * @param intervalMillis length of the interval
 * @param totals since the module started
 * @param node name of the node, at most 64 bytes of UTF-8
 * @param module name of the module, at most 64 bytes of UTF-8
 * @param rows the rows that changed in the interval
 */
public record MonitorReport(
    int part,
    int parts,
    long sequence,
    long timeMillis,
    long intervalMillis,
    Totals totals,
    String node,
    String module,
    List<MonitorRow> rows) {
  /** Bytes of a datagram at most. */
  public static final int DATAGRAM_MOST = 1400;

  /** Bytes of a name at most. */
  public static final int NAME_MOST = 64;

  private static final int MAGIC = 0x4e534e4d;
  private static final byte MAJOR = 1;
  private static final byte MINOR = 0;
  private static final int FIXED = 72;
  private static final int PARTS_MOST = 0xffff;

  /** All numbers count from the module's start. */
  public record Totals(long packets, long bytes, long otherPackets, long otherBytes, long failed) {}

  public MonitorReport {
    rows = List.copyOf(rows);
  }

  /**
   * The datagrams of one report; {@code part} and {@code parts} of this object are not used. Rows
   * beyond 65535 datagrams are left out.
   */
  public List<byte[]> encode() {
    byte[] nodeName = name(node);
    byte[] moduleName = name(module);
    int head = FIXED + 2 + nodeName.length + moduleName.length;
    List<List<MonitorRow>> groups = groups(DATAGRAM_MOST - head);
    List<byte[]> datagrams = new ArrayList<>();
    ByteBuffer out = ByteBuffer.allocate(DATAGRAM_MOST);
    for (List<MonitorRow> group : groups) {
      out.clear();
      out.putInt(MAGIC).put(MAJOR).put(MINOR);
      out.putShort((short) datagrams.size()).putShort((short) groups.size());
      out.putShort((short) group.size());
      out.putLong(sequence).putLong(timeMillis).putInt((int) intervalMillis);
      out.putLong(totals.packets()).putLong(totals.bytes());
      out.putLong(totals.otherPackets()).putLong(totals.otherBytes()).putLong(totals.failed());
      out.put((byte) nodeName.length).put(nodeName);
      out.put((byte) moduleName.length).put(moduleName);
      group.forEach(row -> row.encode(out));
      byte[] datagram = new byte[out.position()];
      out.get(0, datagram);
      datagrams.add(datagram);
    }
    return datagrams;
  }

  /** At least one group, so that a report without rows is still a sign of life. */
  private List<List<MonitorRow>> groups(int room) {
    List<List<MonitorRow>> groups = new ArrayList<>();
    groups.add(new ArrayList<>());
    int left = room;
    for (MonitorRow row : rows) {
      int size = MonitorRow.size(row.family());
      if (size > left) {
        if (groups.size() == PARTS_MOST) {
          break;
        }
        groups.add(new ArrayList<>());
        left = room;
      }
      groups.get(groups.size() - 1).add(row);
      left -= size;
    }
    return groups;
  }

  /** UTF-8, cut at a character's end. */
  private static byte[] name(String text) {
    ByteBuffer out = ByteBuffer.allocate(NAME_MOST);
    StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text), out, true);
    byte[] bytes = new byte[out.position()];
    out.get(0, bytes);
    return bytes;
  }

  /**
   * Reads the datagram between position and limit. Nothing is allocated from a length before it is
   * checked against the bytes that are there.
   */
  public static MonitorReport decode(ByteBuffer datagram) throws ReportException {
    ByteBuffer in = datagram.slice().order(ByteOrder.BIG_ENDIAN);
    int length = in.remaining();
    require(length >= FIXED + 2 && length <= DATAGRAM_MOST, "length", "is " + length);
    require(in.getInt() == MAGIC, "magic", "is not NSNM");
    int major = in.get();
    require(major == MAJOR, "version", "is " + (major & 0xff));
    in.get(); // minor: any
    int part = in.getShort() & 0xffff;
    int parts = in.getShort() & 0xffff;
    require(part < parts, "part", part + " of " + parts);
    int count = in.getShort() & 0xffff;
    long sequence = in.getLong();
    long time = in.getLong();
    long interval = in.getInt() & 0xffffffffL;
    Totals totals =
        new Totals(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    String node = name(in);
    String module = name(in);
    List<MonitorRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(MonitorRow.decode(in));
    }
    return new MonitorReport(part, parts, sequence, time, interval, totals, node, module, rows);
  }

  private static String name(ByteBuffer in) throws ReportException {
    require(in.hasRemaining(), "name", "ends beyond the datagram");
    int length = in.get() & 0xff;
    require(length <= NAME_MOST, "name", "has " + length + " bytes");
    require(length <= in.remaining(), "name", "ends beyond the datagram");
    ByteBuffer bytes = in.slice(in.position(), length);
    in.position(in.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new ReportException("name", "is not UTF-8");
    }
  }
}
