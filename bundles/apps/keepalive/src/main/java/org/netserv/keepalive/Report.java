// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * A report about agents in the making ({@code docs/protocols/keepalive-report.md}):
 *
 * <pre>
 *   0   "NSKR"             4  version 1      5  0      6  number of entries
 *   8   instance           16 sequence       24 time, milliseconds since 1970
 *   32  server's address   48 its port       50 its state         51  0
 *   52  entries, 24 bytes:  0 kind  1 protocol  2 port  4 address  20 seconds since it was heard
 *   end HMAC-SHA256 of all before, 32 bytes
 * </pre>
 *
 * Belongs to one thread.
 */
final class Report {
  static final int SEEN = 1;
  static final int SILENT = 2;
  static final int UDP = 17;
  static final int ENTRIES_MOST = 46;
  static final int HEADER = 52;
  static final int ENTRY = 24;
  static final int MAC = 32;

  private static final int MAGIC = 0x4e534b52;
  private static final byte VERSION = 1;

  private final long instance;
  private final ByteBuffer bytes = ByteBuffer.allocate(HEADER + ENTRIES_MOST * ENTRY + MAC);
  private final Mac mac;
  private int entries;

  /**
   * @param instance random bits that no other run of a module has
   */
  Report(long instance, SecretKeySpec key) {
    this.instance = instance;
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
    } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
      throw new IllegalStateException("every JDK has HmacSHA256 for any key", impossible);
    }
  }

  int entries() {
    return entries;
  }

  boolean isFull() {
    return entries == ENTRIES_MOST;
  }

  /** Adds an entry. The report is not full. */
  void add(int kind, long high, long low, int port, long seconds) {
    bytes.clear(); // the last datagram's limit
    int at = HEADER + ENTRY * entries++;
    bytes.put(at, (byte) kind);
    bytes.put(at + 1, (byte) UDP);
    bytes.putShort(at + 2, (short) port);
    bytes.putLong(at + 4, high);
    bytes.putLong(at + 12, low);
    bytes.putInt(at + 20, (int) seconds);
  }

  /**
   * Completes the report, and begins the next one.
   *
   * @return the datagram, valid until the next call of any method
   */
  ByteBuffer end(Server server, long sequence, long time) {
    bytes.clear().putInt(0, MAGIC);
    bytes.put(4, VERSION);
    bytes.put(5, (byte) 0);
    bytes.putShort(6, (short) entries);
    bytes.putLong(8, instance);
    bytes.putLong(16, sequence);
    bytes.putLong(24, time);
    bytes.putLong(32, server.high());
    bytes.putLong(40, server.low());
    bytes.putShort(48, (short) server.port());
    bytes.put(50, code(server.state()));
    bytes.put(51, (byte) 0);
    int length = HEADER + ENTRY * entries;
    mac.update(bytes.array(), 0, length);
    try {
      mac.doFinal(bytes.array(), length);
    } catch (ShortBufferException impossible) {
      throw new IllegalStateException("the buffer has room for the value", impossible);
    }
    entries = 0;
    return bytes.clear().limit(length + MAC);
  }

  private static byte code(ServerState state) {
    return (byte)
        switch (state) {
          case UNKNOWN -> 0;
          case ALIVE -> 1;
          case SUSPECT -> 2;
          case DEAD -> 3;
        };
  }
}
