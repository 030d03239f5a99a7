// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/**
 * CONTROL: a message of the control channel. It is the first extension of its packet.
 *
 * <pre>
 *   0  0x10     1  20     2  flags: {@link ControlFlags}     3  abilities
 *   4      verno, 32 bits: number of this message, or of the sender's next one
 *   8      ackno, 32 bits: the verno that the sender expects next; 0 in a SYN
 *   12     nonce, 64 bits: the sender's
 * </pre>
 *
 * The abilities ({@link Ability}) count in a SYN-ACK alone. The published stack has no such byte:
 * it sends 0 in a SYN-ACK, may send anything elsewhere, and never reads it.
 */
public final class Control {
  /** Bytes of the extension. */
  public static final int LENGTH = 20;

  private Control() {}

  /** Returns the flags, or 0 if the packet has no CONTROL. */
  public static int flags(SalPacket packet) {
    int at = packet.find(ExtensionType.CONTROL);
    return at < 0 ? 0 : packet.buffer().get(at + 2) & 0xff;
  }

  /** Reads the message, or returns null if the packet has no CONTROL. */
  public static ControlMessage get(SalPacket packet) {
    int at = packet.find(ExtensionType.CONTROL);
    if (at < 0) {
      return null;
    }
    ByteBuffer buffer = packet.buffer();
    return new ControlMessage(
        packet.sourceFlow(),
        packet.destinationFlow(),
        buffer.get(at + 2) & 0xff,
        buffer.get(at + 3) & 0xff,
        buffer.getInt(at + 4),
        buffer.getInt(at + 8),
        buffer.getLong(at + 12));
  }

  /** Adds the message. Its flowIDs are the ones of {@link SalWriter#begin}. */
  public static void put(SalWriter writer, ControlMessage message) {
    int at = writer.add(ExtensionType.CONTROL, LENGTH);
    if (at < 0) {
      return;
    }
    ByteBuffer buffer = writer.buffer();
    buffer.put(at + 2, (byte) message.flags());
    buffer.put(at + 3, (byte) message.abilities());
    buffer.putInt(at + 4, message.verno());
    buffer.putInt(at + 8, message.ackno());
    buffer.putLong(at + 12, message.nonce());
  }
}
