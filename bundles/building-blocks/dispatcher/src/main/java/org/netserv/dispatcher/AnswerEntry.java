// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.netserv.host.Ring;
import org.netserv.packet.AnswerTemplate;

/** Writes a template as bpfd reads it: {@code struct ns_answer_entry}, the message, the reply. */
final class AnswerEntry {
  private static final int IPV4_SHIFT = 32;

  private AnswerEntry() {}

  /**
   * Returns the entry.
   *
   * @param budget so many packets are answered; 0 = any number
   * @param seconds 1 to 65535
   */
  static ByteBuffer of(AnswerTemplate template, int budget, int seconds) {
    ByteBuffer message = template.message();
    ByteBuffer reply = template.reply();
    AnswerTemplate.Pair pair = template.pair();
    ByteBuffer entry =
        ByteBuffer.allocate(Ring.ENTRY_SIZE + message.remaining() + reply.remaining());
    put(entry, Ring.ENTRY_SOURCE, pair.family(), pair.sourceHigh(), pair.sourceLow());
    put(
        entry,
        Ring.ENTRY_DESTINATION,
        pair.family(),
        pair.destinationHigh(),
        pair.destinationLow());
    entry
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(Ring.ENTRY_FAMILY, (byte) pair.family())
        .put(Ring.ENTRY_FIELDS, (byte) template.fields().size())
        .putShort(Ring.ENTRY_SECONDS, (short) seconds)
        .putInt(Ring.ENTRY_BUDGET, budget)
        .putShort(Ring.ENTRY_SOURCE_PORT, (short) pair.sourcePort())
        .putShort(Ring.ENTRY_DESTINATION_PORT, (short) pair.destinationPort())
        .putShort(Ring.ENTRY_MESSAGE, (short) message.remaining())
        .putShort(Ring.ENTRY_REPLY, (short) reply.remaining())
        .putShort(Ring.ENTRY_TAG, (short) template.tag()); // NO_TAG becomes 0xffff
    int at = Ring.ENTRY_FIELD;
    for (AnswerTemplate.Field field : template.fields()) {
      put(entry, at, field);
      at += Ring.FIELD_SIZE;
    }
    entry.position(Ring.ENTRY_SIZE).put(message).put(reply);
    return entry.flip();
  }

  /** Writes an address, big-endian. One of IPv4 has zeros behind. */
  private static void put(ByteBuffer entry, int at, int family, long high, long low) {
    if (family == 4) {
      entry.putLong(at, low << IPV4_SHIFT);
    } else {
      entry.putLong(at, high).putLong(at + Long.BYTES, low);
    }
  }

  private static void put(ByteBuffer entry, int at, AnswerTemplate.Field field) {
    int kind =
        switch (field.kind()) {
          case SAME -> Ring.FIELD_SAME;
          case TEXT -> Ring.FIELD_TEXT;
          case DIGITS -> Ring.FIELD_DIGITS;
        };
    entry
        .putShort(at + Ring.FIELD_FROM, (short) field.from())
        .putShort(at + Ring.FIELD_TO, (short) field.to())
        .put(at + Ring.FIELD_LENGTH, (byte) field.length())
        .put(at + Ring.FIELD_KIND, (byte) (field.hashed() ? kind | Ring.FIELD_HASHED : kind));
  }
}
