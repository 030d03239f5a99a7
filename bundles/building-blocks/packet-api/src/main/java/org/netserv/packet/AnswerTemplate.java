// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A message of one flow of UDP, and the reply to it. Other messages of the flow differ from it in
 * fields only, and their replies have the fields as they came.
 *
 * <pre>
 *   message  NOTIFY ... branch=[z9hG4bK-17] ... tag=[a7] ... Call-ID: [17@10.0.0.7] CSeq: [17] NOTIFY
 *   reply    SIP/2.0 200 OK ... branch=[...] ... To: ...;tag=(16 digits) ... CSeq: [...] NOTIFY
 * </pre>
 *
 * <p>A message fits if it has the same length and the same bytes, except for fields. A field keeps
 * its length. The reply goes from the address and port that the message was sent to, to those that
 * it came from.
 *
 * <p>Immutable. The class checks all ranges, as the node does again.
 */
public final class AnswerTemplate {
  /** The longest message, in bytes of UDP's data. */
  public static final int MESSAGE_MOST = 512;

  /**
   * A reply is longer than its message by this number of bytes at most, and at most twice as long.
   */
  public static final int GROWTH_MOST = 192;

  /** The greatest number of fields. */
  public static final int FIELDS_MOST = 6;

  /** The longest field, in bytes. */
  public static final int FIELD_MOST = 64;

  /** Bytes of the tag. */
  public static final int TAG_SIZE = 16;

  /** The offset of a tag that the reply does not have. */
  public static final int NO_TAG = -1;

  private static final int PORT_MOST = 0xffff;

  /** The bytes that may stand in a field. */
  public enum Kind {
    /** The template's bytes. */
    SAME,
    /**
     * A letter, a digit or one of "-._" of the template may be any other of these. All other bytes
     * are the template's.
     */
    TEXT,
    /** A digit of the template may be any other. All other bytes are the template's. */
    DIGITS
  }

  /**
   * A range of the message that stands in the reply, too.
   *
   * @param from offset in the message
   * @param to offset in the reply
   * @param length 1 to {@value #FIELD_MOST} bytes
   * @param hashed whether the tag's hash has this field
   */
  public record Field(int from, int to, int length, Kind kind, boolean hashed) {}

  /**
   * The flow as it arrives, with the values of {@link Packet}.
   *
   * @param family 4 or 6
   * @param sourcePort 1 to 65535
   * @param destinationPort 1 to 65535
   */
  public record Pair(
      int family,
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort) {
    /** Returns the flow of a packet that no module has changed. */
    public static Pair of(Packet packet) {
      return new Pair(
          packet.family(),
          packet.sourceHigh(),
          packet.sourceLow(),
          packet.destinationHigh(),
          packet.destinationLow(),
          packet.sourcePort(),
          packet.destinationPort());
    }
  }

  private final Pair pair;
  private final byte[] message;
  private final byte[] reply;
  private final List<Field> fields;
  private final int tag;

  /**
   * Copies the bytes.
   *
   * @param reply empty if the message wants no answer: the kernel then drops it
   * @param fields no two overlap, in message or reply
   * @param tag offset in the reply of 16 hexadecimal digits in lower case, which stand for a hash
   *     of the hashed fields in their order; {@link #NO_TAG} = there are none. The hash begins with
   *     0xcbf29ce484222325. For each field its length is added. Then for each eight bytes, as a
   *     big-endian word with zeros behind the field's end: {@code hash = (hash ^ word) *
   *     0x9e3779b97f4a7c15L; hash ^= hash >>> 32}
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public AnswerTemplate(Pair pair, byte[] message, byte[] reply, List<Field> fields, int tag) {
    this.pair = pair;
    this.message = message.clone();
    this.reply = reply.clone();
    this.fields = List.copyOf(fields);
    this.tag = tag;
    require("family", pair.family() == 4 || pair.family() == 6);
    require("sourcePort", isPort(pair.sourcePort()));
    require("destinationPort", isPort(pair.destinationPort()));
    require("message", message.length > 0 && message.length <= MESSAGE_MOST);
    require("reply", reply.length <= Math.min(2 * message.length, message.length + GROWTH_MOST));
    require("fields", fields.size() <= FIELDS_MOST);
    boolean[] in = new boolean[message.length];
    boolean[] out = new boolean[reply.length];
    boolean hashed = false;
    for (Field field : fields) {
      require("length", field.length() > 0 && field.length() <= FIELD_MOST);
      require("from", mark(in, field.from(), field.length()));
      require("to", mark(out, field.to(), field.length()));
      hashed |= field.hashed();
    }
    require("tag", tag == NO_TAG ? !hashed : mark(out, tag, TAG_SIZE));
  }

  private static boolean isPort(int port) {
    return port > 0 && port <= PORT_MOST;
  }

  /** Marks a range. Returns false if it is not within, or marked already. */
  private static boolean mark(boolean[] marks, int from, int length) {
    if (from < 0 || from > marks.length - length) {
      return false;
    }
    for (int i = from; i < from + length; i++) {
      if (marks[i]) {
        return false;
      }
      marks[i] = true;
    }
    return true;
  }

  private static void require(String name, boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException(name);
    }
  }

  public Pair pair() {
    return pair;
  }

  /** Returns the message, read-only, from position 0 to its limit. */
  public ByteBuffer message() {
    return ByteBuffer.wrap(message).asReadOnlyBuffer();
  }

  /** Returns the reply, read-only, from position 0 to its limit. */
  public ByteBuffer reply() {
    return ByteBuffer.wrap(reply).asReadOnlyBuffer();
  }

  public List<Field> fields() {
    return fields;
  }

  public int tag() {
    return tag;
  }
}
