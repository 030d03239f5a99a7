// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.report;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.netserv.values.Addresses;

/**
 * A datagram in which a KeepAlive Responder tells of agents. Big-endian:
 *
 * <pre>
 *    0  "NSKR"     4  version 1     5  flags 0     6  count of entries, 16 bits
 *    8  instance, 64 bits     16  sequence, 64 bits     24  milliseconds since 1970, 64 bits
 *   32  address of the SIP server, 16 bytes     48  its port     50  its state     51  0
 *   52  entries of 24 bytes: kind, protocol, port (16 bits), address (16 bytes),
 *       seconds since the last keep-alive (32 bits)
 *   end  HMAC-SHA256 of all before, 32 bytes
 * </pre>
 *
 * @param time milliseconds since 1970 by the node's clock
 */
public record Report(
    long instance,
    long sequence,
    long time,
    InetAddress server,
    int serverPort,
    ServerState state,
    List<Entry> entries) {
  /** Bytes without entries. */
  public static final int SHORTEST = 52 + Report.MAC;

  /** Most entries. */
  public static final int MOST_ENTRIES = 46;

  /** Bytes of the longest datagram. */
  public static final int LONGEST = 52 + MOST_ENTRIES * 24 + Report.MAC;

  /** Bytes of the code at the end. */
  static final int MAC = 32;

  private static final int MAGIC = 0x4e534b52;
  private static final int HEAD = 52;
  private static final int ENTRY = 24;
  private static final int UDP = 17;
  private static final int TCP = 6;

  public Report {
    entries = List.copyOf(entries);
  }

  /** The SIP server as the module sees it. */
  public enum ServerState {
    UNKNOWN,
    ALIVE,
    SUSPECT,
    DEAD
  }

  /**
   * An agent.
   *
   * @param silent false: a keep-alive was seen; true: none for a while
   * @param udp false: TCP
   * @param idle seconds since its last keep-alive
   */
  public record Entry(boolean silent, boolean udp, InetAddress address, int port, long idle) {}

  /**
   * Reads a datagram whose code was checked.
   *
   * @param in the whole datagram, from its position to its limit
   * @throws ReportException naming the field
   */
  static Report read(ByteBuffer in) throws ReportException {
    int start = in.position();
    int length = in.remaining();
    if (length < SHORTEST) {
      throw new ReportException("length: " + length + " bytes are too few");
    }
    int count = in.getShort(start + 6) & 0xffff;
    if (count > MOST_ENTRIES || length != HEAD + count * ENTRY + MAC) {
      throw new ReportException("count: " + count + " entries in " + length + " bytes");
    }
    if (in.getInt(start) != MAGIC || in.get(start + 4) != 1 || in.get(start + 5) != 0) {
      throw new ReportException("version: not NSKR 1");
    }
    int state = in.get(start + 50);
    if (state < 0 || state >= ServerState.values().length) {
      throw new ReportException("state: " + state);
    }
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(entry(in, start + HEAD + i * ENTRY));
    }
    return new Report(
        in.getLong(start + 8),
        in.getLong(start + 16),
        in.getLong(start + 24),
        address(in, start + 32),
        in.getShort(start + 48) & 0xffff,
        ServerState.values()[state],
        entries);
  }

  private static Entry entry(ByteBuffer in, int at) throws ReportException {
    int kind = in.get(at);
    int protocol = in.get(at + 1);
    int port = in.getShort(at + 2) & 0xffff;
    if (kind != 1 && kind != 2) {
      throw new ReportException("kind: " + kind);
    }
    if (protocol != UDP && protocol != TCP) {
      throw new ReportException("protocol: " + protocol);
    }
    if (port == 0) {
      throw new ReportException("port: 0");
    }
    long idle = in.getInt(at + 20) & 0xffffffffL;
    return new Entry(kind == 2, protocol == UDP, address(in, at + 4), port, idle);
  }

  private static InetAddress address(ByteBuffer in, int at) {
    byte[] bytes = new byte[16];
    in.get(at, bytes);
    return Addresses.of(bytes);
  }
}
