// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Packets made of the digits of their extensions. */
public final class Packets {
  static final String CONTROL = "10148000000000010000000000000000000000ff";
  static final String SERVICE = "20240000" + "ab".repeat(32);
  static final String ADDRESS = "30100000" + "00000001" + "00000002" + "0a000001";
  static final String SOURCE = "400c0000" + "0a000001" + "0a000002";
  static final String CAPABILITY = "50080000" + "00000007";
  static final String HOPS = "60180000" + "00000016" + "00".repeat(10) + "ffff0a000001";
  static final String TICKETS = "700c0000" + "0000000000000007";
  static final String FREE = "9005aabbcc" + "000000";

  private Packets() {}

  /** Returns a packet with these extensions, right length and checksum, and an empty UDP header. */
  static byte[] of(String... extensions) {
    String digits = String.join("", extensions);
    byte[] value = HexFormat.of().parseHex(digits);
    int words = (12 + value.length) / 4;
    return sealed(words, value, "0000000000080000");
  }

  static byte[] sealed(int words, byte[] value, String transport) {
    byte[] tail = HexFormat.of().parseHex(transport);
    ByteBuffer packet = ByteBuffer.allocate(12 + value.length + tail.length);
    packet.putInt(2).putInt(0).put((byte) words).put((byte) 17).putShort((short) 0);
    packet.put(value).put(tail);
    seal(packet);
    return packet.array();
  }

  /** Writes the checksum for the length that the header claims, as far as there are bytes. */
  public static void seal(ByteBuffer packet) {
    int stop = Math.min(packet.capacity(), (packet.get(8) & 0xff) * 4);
    packet.putShort(10, (short) 0);
    packet.putShort(10, (short) SalChecksum.of(packet, 0, stop));
  }

  static ServalError read(SalPacket packet, byte[] bytes) {
    return packet.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
  }
}
