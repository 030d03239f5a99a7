// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.nio.ByteBuffer;

/** A numbered RTP packet of G.711 (RFC 3550), of which each byte follows from its number. */
final class RtpPacket {
  /** Bytes of header and 20 ms of sound. */
  static final int LENGTH = 172;

  private static final int HEADER = 12;
  private static final int VERSION = 0x80;
  private static final int SAMPLES = 160;

  private RtpPacket() {}

  /**
   * Makes a packet.
   *
   * @param source tells the two directions apart
   */
  static byte[] of(int number, int source) {
    ByteBuffer packet = ByteBuffer.allocate(LENGTH);
    packet.put((byte) VERSION).put((byte) 0).putShort((short) number);
    packet.putInt(number * SAMPLES).putInt(source);
    for (int i = HEADER; i < LENGTH; i++) {
      packet.put((byte) (number * 31 + i * 7 + source));
    }
    return packet.array();
  }

  /** Returns the number of a packet, which is below 65,536; -1 if a byte of it is wrong. */
  static int number(byte[] bytes, int start, int length, int source) {
    if (length != LENGTH) {
      return -1;
    }
    int number = ByteBuffer.wrap(bytes).getShort(start + 2) & 0xffff;
    byte[] right = of(number, source);
    for (int i = 0; i < LENGTH; i++) {
      if (bytes[start + i] != right[i]) {
        return -1;
      }
    }
    return number;
  }
}
