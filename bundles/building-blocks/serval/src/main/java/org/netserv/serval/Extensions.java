// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/** Extensions of any type as bytes, so that a hop passes on types that it does not know. */
public final class Extensions {
  /** The first number that the published stack does not use. */
  public static final int FIRST_FREE = 5;

  private static final int HEAD = 2;
  private static final int MOST_VALUE = 255 - HEAD;

  private Extensions() {}

  /** Adds a copy of one extension, reserved bits and all. */
  public static void copy(SalWriter writer, SalPacket packet, int extension) {
    int length = packet.length(extension);
    int at = writer.room(length);
    if (at >= 0) {
      writer.buffer().put(at, packet.buffer(), extension, length);
    }
  }

  /** Adds copies of all extensions in their order, without PADs. */
  public static void copyAll(SalWriter writer, SalPacket packet) {
    for (int at = packet.first(); at < packet.transport(); at = packet.after(at)) {
      copy(writer, packet, at);
    }
  }

  /**
   * Adds an extension of a free type.
   *
   * @param number 5 to 15
   * @return false, and adds nothing, if number or length is not one of a free type
   */
  public static boolean put(SalWriter writer, int number, byte[] value) {
    if (number < FIRST_FREE || number > 15 || value.length > MOST_VALUE) {
      return false;
    }
    int at = writer.room(HEAD + value.length);
    if (at >= 0) {
      ByteBuffer buffer = writer.buffer();
      buffer.put(at, (byte) (number << 4));
      buffer.put(at + 1, (byte) (HEAD + value.length));
      buffer.put(at + HEAD, value);
    }
    return true;
  }

  /** Returns a copy of an extension's bytes behind type and length. */
  public static byte[] value(SalPacket packet, int extension) {
    byte[] value = new byte[packet.length(extension) - HEAD];
    packet.buffer().get(extension + HEAD, value);
    return value;
  }
}
