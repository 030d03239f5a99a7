// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * Changes to a message that goes on to the next node, made on its bytes. All other bytes stay as
 * they came, with reserved bits, unknown objects and order (RFC 5971 section 4.3.2). All methods
 * take a message that {@link GistMessage#decode} has read and return a new array.
 */
public final class RawMessage {
  private static final int HOPS = 1;
  private static final int LENGTH = 2;
  private static final int IGNORE = 1;

  private RawMessage() {}

  /**
   * Returns the message with another hop count.
   *
   * @param hops 1 to 255
   */
  public static byte[] withHops(byte[] message, int hops) {
    if (hops < 1 || hops > 0xff) {
      throw new IllegalArgumentException("hops " + hops);
    }
    byte[] copy = message.clone();
    copy[HOPS] = (byte) hops;
    return copy;
  }

  /**
   * Returns the message with another NSLP payload in the place of the old one, or at the end.
   *
   * @throws IllegalArgumentException the message becomes longer than a message can be
   */
  public static byte[] withData(byte[] message, NslpData data) {
    int at = find(message, 0, message.length, NslpData.TYPE);
    int from = at < 0 ? message.length : at;
    int to = at < 0 ? message.length : endOfObject(message, at);
    WireWriter object = new WireWriter(ObjectReader.HEADER + data.bytes().length);
    ObjectCodec.encode(data, object);
    return splice(message, from, to, object.toBytes());
  }

  /**
   * Returns the message without the unknown objects that a node has to delete if it does not know
   * them (AB=01). For a message that was processed here and goes on, not for a message that is only
   * passed on.
   */
  public static byte[] withoutIgnored(byte[] message) {
    byte[] left = message;
    int at = RawHeader.BYTES;
    while (at < left.length) {
      int head = NetworkOrder.get16(left, at);
      if (head >> 14 == IGNORE && !ObjectCodec.known(head & 0xfff)) {
        left = splice(left, at, endOfObject(left, at), new byte[0]);
      } else {
        at = endOfObject(left, at);
      }
    }
    return left;
  }

  /** Returns the place where the first whole object of that type begins; -1 = there is none. */
  static int find(byte[] bytes, int from, int to, int type) {
    int at = from + RawHeader.BYTES;
    while (to - at >= ObjectReader.HEADER && endOfObject(bytes, at) <= to) {
      if ((NetworkOrder.get16(bytes, at) & 0xfff) == type) {
        return at;
      }
      at = endOfObject(bytes, at);
    }
    return -1;
  }

  /** Returns the end of an object as its header states it, at least 4 further. */
  static int endOfObject(byte[] bytes, int at) {
    return at + ObjectReader.HEADER + 4 * (NetworkOrder.get16(bytes, at + 2) & 0xfff);
  }

  private static byte[] splice(byte[] message, int from, int to, byte[] insert) {
    byte[] out = Arrays.copyOf(message, message.length - (to - from) + insert.length);
    System.arraycopy(insert, 0, out, from, insert.length);
    System.arraycopy(message, to, out, from + insert.length, message.length - to);
    int words = (out.length - RawHeader.BYTES) / 4;
    if (words > 0xffff) {
      throw new IllegalArgumentException("a message of " + words + " words");
    }
    NetworkOrder.put16(out, LENGTH, words);
    return out;
  }
}
