// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The layout of a record. Integers are big-endian.
 *
 * <pre>
 *   0      4       8               16          24          28            32         36
 *   | kind | about | content bytes | record id | about CRC | content CRC | head CRC | about | content
 *   `----------------- the head CRC covers this ---------------------'
 * </pre>
 *
 * A STORED record has a content, and an id of its own. The others name the id of a STORED record
 * and have no content. The sums are CRC-32C (RFC 3720, appendix B.4). A head has a sum of its own,
 * so that a length is never believed before it is checked.
 */
final class LogRecord {
  /** Bytes before the description. */
  static final int HEAD = 36;

  /** The most bytes of a description. */
  static final int MOST_ABOUT = 1 << 17;

  private static final int SUMMED = 32;

  /** Statements of records. */
  enum Kind {
    /** There is a content, described. */
    STORED(0x53544f52),
    /** A content has another description from now on. */
    UPDATED(0x55504454),
    /** A content is not to be used any more. */
    REMOVED(0x52454d56);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code) {
      return Arrays.stream(values()).filter(kind -> kind.code == code).findAny().orElse(null);
    }
  }

  /** The head of a record, without its description. */
  record Head(Kind kind, int about, long content, long id, int aboutSum, int contentSum) {}

  private LogRecord() {}

  /** Bytes of a record in a file. */
  static long size(int about, long content) {
    return (long) HEAD + about + content;
  }

  /** Writes a head with its description. */
  static ByteBuffer head(Kind kind, long id, byte[] about, long content, int contentSum) {
    ByteBuffer out = ByteBuffer.allocate(HEAD + about.length);
    out.putInt(kind.code).putInt(about.length).putLong(content).putLong(id);
    out.putInt(sum(about, about.length)).putInt(contentSum);
    return out.putInt(sum(out.array(), SUMMED)).put(about).flip();
  }

  /**
   * Reads a head of {@link #HEAD} bytes.
   *
   * @return null if it is damaged, or none that this version writes
   */
  static Head read(byte[] head) {
    ByteBuffer in = ByteBuffer.wrap(head);
    Kind kind = Kind.of(in.getInt());
    Head read = new Head(kind, in.getInt(), in.getLong(), in.getLong(), in.getInt(), in.getInt());
    boolean sound =
        in.getInt() == sum(head, SUMMED)
            && kind != null
            && read.about >= 0
            && read.about <= MOST_ABOUT
            && read.content >= 0;
    return sound ? read : null;
  }

  /** Calculates the sum of the first bytes of an array. */
  static int sum(byte[] bytes, int length) {
    return sum(List.of(bytes), length);
  }

  /** Calculates the sum of the first bytes of blocks. */
  static int sum(List<byte[]> blocks, long length) {
    CRC32C sum = new CRC32C();
    pieces(blocks, length).forEach(sum::update);
    return (int) sum.getValue();
  }

  /** Makes buffers of the first bytes of blocks. */
  static List<ByteBuffer> pieces(List<byte[]> blocks, long length) {
    List<ByteBuffer> pieces = new ArrayList<>(blocks.size());
    long left = length;
    for (byte[] block : blocks) {
      int count = (int) Math.min(block.length, left);
      pieces.add(ByteBuffer.wrap(block, 0, count));
      left -= count;
    }
    return pieces;
  }
}
