// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * A request of memcached's text protocol in a datagram, and the result of its answer.
 *
 * <pre>
 *   number (2) | datagram (2), 0 | datagrams (2), 1 | reserved (2), 0 | text
 * </pre>
 */
final class CacheRequest {
  /** Bytes of each value. */
  static final int VALUE = 1024;

  private static final int HEADER = 8;
  private static final String END = "\r\n";

  final int partition;
  final int tick;
  private final long key;
  private final boolean gets;

  /** The server that has stored the key which is read. */
  private final String storedAt;

  /** Times that it was sent. */
  int tries;

  /** The address of the server that has answered first, or null. */
  String server;

  /** When it is sent again, in nanoseconds. */
  long due;

  /**
   * Makes a request.
   *
   * @param storedAt the server that has stored the key, to read it; null to store it
   * @param partition of the key
   * @param tick in which it is sent first
   */
  CacheRequest(String storedAt, long key, int partition, int tick) {
    this.storedAt = storedAt;
    this.gets = storedAt != null;
    this.key = key;
    this.partition = partition;
    this.tick = tick;
  }

  /** The content of an answer. */
  enum Answer {
    STORED,
    HIT,
    MOVED,
    FORGOTTEN,
    WRONG
  }

  static String name(long key) {
    return "key-" + key;
  }

  long key() {
    return key;
  }

  ByteBuffer datagram(int number) {
    String text =
        gets
            ? "get " + name(key) + END
            : "set " + name(key) + " 0 0 " + VALUE + END + value() + END;
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer datagram = ByteBuffer.allocate(HEADER + bytes.length);
    return datagram.putInt(number << 16).putInt(1 << 16).put(bytes).flip();
  }

  /** Returns the bytes of a key, as text of one byte a character. */
  private String value() {
    byte[] value = new byte[VALUE];
    new Random(key).nextBytes(value);
    return new String(value, StandardCharsets.ISO_8859_1);
  }

  /** Returns the number of the request that a datagram answers, -1 if it is none. */
  static int number(ByteBuffer answer) {
    return answer.remaining() > HEADER ? answer.getShort(answer.position()) & 0xffff : -1;
  }

  /** Reads the answer of {@link #server}. */
  Answer read(ByteBuffer answer) {
    byte[] bytes = new byte[answer.remaining() - HEADER];
    answer.get(answer.position() + HEADER, bytes);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    if (!gets) {
      return text.equals("STORED" + END) ? Answer.STORED : Answer.WRONG;
    }
    if (text.equals("END" + END)) {
      return server.equals(storedAt) ? Answer.FORGOTTEN : Answer.MOVED;
    }
    String hit = "VALUE " + name(key) + " 0 " + VALUE + END + value() + END + "END" + END;
    return text.equals(hit) ? Answer.HIT : Answer.WRONG;
  }
}
