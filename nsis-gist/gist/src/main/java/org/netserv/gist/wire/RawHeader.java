// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Optional;

/**
 * The common header as it came, without any check (RFC 5971 appendix A.1).
 *
 * <pre>
 *   +---------------+---------------+-------------------------------+
 *   |    version    |     hops      |  length, words after these 8  |
 *   +---------------+---------------+-+-------------+-+-+-+---------+
 *   |            NSLPID             |C|    type     |S|R|E|reserved |
 *   +-------------------------------+-+-------------+-+-+-+---------+
 * </pre>
 *
 * @param words length of the objects in 32-bit words, 0 to 65535
 * @param type 0 to 127, known or not
 */
public record RawHeader(
    int version,
    int hops,
    int words,
    int nslpId,
    int type,
    boolean explicit,
    boolean sourceAddress,
    boolean reply,
    boolean routed) {
  public static final int BYTES = 8;
  static final int VERSION = 1;

  private static final int C = 0x8000;
  private static final int S = 0x80;
  private static final int R = 0x40;
  private static final int E = 0x20;

  /** Reads a header at this place. Returns empty when there are fewer than 8 bytes. */
  public static Optional<RawHeader> read(byte[] bytes, int from) {
    if (from < 0 || bytes.length - from < BYTES) {
      return Optional.empty();
    }
    int flags = NetworkOrder.get16(bytes, from + 6);
    return Optional.of(
        new RawHeader(
            NetworkOrder.get8(bytes, from),
            NetworkOrder.get8(bytes, from + 1),
            NetworkOrder.get16(bytes, from + 2),
            NetworkOrder.get16(bytes, from + 4),
            flags >> 8 & 0x7f,
            (flags & C) != 0,
            (flags & S) != 0,
            (flags & R) != 0,
            (flags & E) != 0));
  }

  static void write(WireWriter out, CommonHeader header) {
    int flags = header.type().code() << 8;
    flags |= header.explicit() ? C : 0;
    flags |= header.sourceAddress() ? S : 0;
    flags |= header.reply() ? R : 0;
    flags |= header.routed() ? E : 0;
    out.put8(VERSION).put8(header.hops()).put16(0).put16(header.nslpId()).put16(flags);
  }

  /** Returns the length of the message as the header states it, with the header: 8 to 262,148. */
  public int totalBytes() {
    return BYTES + 4 * words;
  }

  /** Returns whether the version is ours. Only then do the other fields have their meaning. */
  public boolean supported() {
    return version == VERSION;
  }

  /** Returns whether the message is of that type. */
  public boolean is(MessageType kind) {
    return type == kind.code();
  }
}
