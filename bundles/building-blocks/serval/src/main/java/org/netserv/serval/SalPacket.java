// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A view of one packet, from the SAL header to the end of the transport's bytes:
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *   |                    source flowID                              |  0
 *   +---------------------------------------------------------------+
 *   |  destination flowID, 0 in SYN and unconnected datagrams       |  4
 *   +---------------+---------------+-------------------------------+
 *   | shl: words    |  protocol     |  checksum of shl * 4 bytes    |  8
 *   +---------------+---------------+-------------------------------+
 *   | type  | 0     |  length       |  value ...                    | 12
 *   +-------+-------+---------------+-------------------------------+
 *
 *   shl       base header and extensions in words of 4 bytes, 3 to 255
 *   protocol  6 TCP, 17 UDP
 *   length    of the whole extension, in bytes
 * </pre>
 *
 * {@link #reset} points the view at a range and checks each length once. The view holds until the
 * next reset, or until the bytes change. An extension is known by the index of its first byte.
 * Extensions of unknown types are kept, and found in their order. Reserved bits are not checked,
 * because the published stack sends what its memory held before.
 */
public final class SalPacket {
  /** Bytes in front of the extensions. */
  public static final int HEADER = 12;

  public static final int TCP = 6;
  public static final int UDP = 17;

  /** The published stack reads at most so many extensions. */
  static final int EXTENSIONS = 10;

  private static final int LEAST_WORDS = HEADER / 4;
  private static final int LEAST_EXTENSION = 2;

  private final int[] counts = new int[16];
  private ByteBuffer buffer;
  private int start;
  private int end;
  private int extensionsEnd;

  /**
   * Points the view at {@code [first, stop)}.
   *
   * @param bytes big-endian
   * @return OK, or the refusal. Only an OK packet may be read.
   */
  public ServalError reset(ByteBuffer bytes, int first, int stop) {
    buffer = bytes;
    start = first;
    end = stop;
    extensionsEnd = first;
    ServalError error = header();
    return error == ServalError.OK ? extensions() : error;
  }

  private ServalError header() {
    if (start < 0 || end < start || end > buffer.limit()) {
      return ServalError.RANGE;
    }
    if (end - start < HEADER) {
      return ServalError.SHORT;
    }
    int words = buffer.get(start + 8) & 0xff;
    if (words < LEAST_WORDS) {
      return ServalError.HEADER_LENGTH;
    }
    if (words * 4 > end - start) {
      return ServalError.HEADER_CUT;
    }
    if (SalChecksum.of(buffer, start, start + words * 4) != 0) {
      return ServalError.CHECKSUM;
    }
    extensionsEnd = start + words * 4;
    return ServalError.OK;
  }

  private ServalError extensions() {
    Arrays.fill(counts, 0);
    int total = 0;
    for (int at = first(); at < extensionsEnd; at = after(at)) {
      if (extensionsEnd - at < LEAST_EXTENSION) {
        return ServalError.EXTENSION_CUT; // a type without a length
      }
      int length = length(at);
      if (length < LEAST_EXTENSION) {
        return ServalError.EXTENSION_LENGTH;
      }
      if (length > extensionsEnd - at) {
        return ServalError.EXTENSION_CUT;
      }
      if (++total > EXTENSIONS) {
        return ServalError.EXTENSION_COUNT;
      }
      ServalError error = count(at, total);
      if (error != ServalError.OK) {
        return error;
      }
    }
    return ServalError.OK;
  }

  private ServalError count(int at, int place) {
    int number = number(at);
    ExtensionType type = ExtensionType.of(number);
    if (type == null) {
      return ServalError.OK;
    }
    if (!type.mayHave(length(at))) {
      return ServalError.EXTENSION_LENGTH;
    }
    ServalError repeated = type.allow(++counts[number]);
    if (repeated != ServalError.OK) {
      return repeated;
    }
    return type == ExtensionType.CONTROL && place > 1 ? ServalError.CONTROL_PLACE : ServalError.OK;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the index of the header. */
  public int start() {
    return start;
  }

  /** Returns the index of the transport's first byte. */
  public int transport() {
    return extensionsEnd;
  }

  /** Returns the index behind the transport's last byte. */
  public int end() {
    return end;
  }

  public int sourceFlow() {
    return buffer.getInt(start);
  }

  /** Returns the flowID of the receiver, 0 in SYN and unconnected datagrams. */
  public int destinationFlow() {
    return buffer.getInt(start + 4);
  }

  /** Returns {@link #TCP}, {@link #UDP} or another protocol of IP. */
  public int protocol() {
    return buffer.get(start + 9) & 0xff;
  }

  /** Returns the index of the first extension of a type, or -1 if the packet has none. */
  public int find(ExtensionType type) {
    return search(start + HEADER, type.number());
  }

  public boolean has(ExtensionType type) {
    return find(type) >= 0;
  }

  /** Returns the index of the next extension of the same type, or -1. */
  public int next(int extension) {
    return search(after(extension), number(extension));
  }

  private int search(int from, int number) {
    for (int at = skipPads(from); at < extensionsEnd; at = after(at)) {
      if (number(at) == number) {
        return at;
      }
    }
    return -1;
  }

  /** Returns the index of the first extension that is no PAD. Not below transport() if none. */
  public int first() {
    return skipPads(start + HEADER);
  }

  /** Returns the index of the extension behind this one. PADs are passed over. */
  public int after(int extension) {
    return skipPads(extension + length(extension));
  }

  private int skipPads(int from) {
    int at = from;
    while (at < extensionsEnd && number(at) == ExtensionType.PAD) {
      at++;
    }
    return at;
  }

  /** Returns the number of an extension's type, known or not. */
  public int number(int extension) {
    return (buffer.get(extension) & 0xff) >>> 4;
  }

  /** Returns the bytes of a whole extension. */
  public int length(int extension) {
    return buffer.get(extension + 1) & 0xff;
  }
}
