// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import static org.netserv.artifact.refusal.VerifyException.Reason.NAME;
import static org.netserv.artifact.refusal.VerifyException.Reason.STRUCTURE;
import static org.netserv.artifact.refusal.VerifyException.Reason.ZIP64;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.netserv.artifact.refusal.VerifyException;

/**
 * A header of the central directory.
 *
 * <pre>
 *    0 signature 0x02014b50   4 made by   6 needs    8 flags      10 method   12 time, date
 *   16 crc-32                20 compressed size     24 size       28 name, 30 extra, 32 comment lengths
 *   34 disk                  36 internal            38 external   42 offset of the local header
 *   46 name, extra, comment
 * </pre>
 *
 * @param at where the header is
 * @param length of the whole header
 */
record CentralHeader(
    String name,
    int flags,
    int method,
    int time,
    long crc,
    long compressed,
    long size,
    int offset,
    int at,
    int length) {
  static final int STORED = 0;
  static final int DEFLATED = 8;
  static final int FIXED = 46;

  private static final int FLAG_ENCRYPTED = 1 | 1 << 6 | 1 << 13;
  private static final int FLAG_DESCRIPTOR = 1 << 3;
  private static final int FLAG_UTF8 = 1 << 11;
  // Bits 1 and 2 are the deflate level and mean nothing to a reader.
  private static final int FLAGS_KNOWN =
      FLAG_ENCRYPTED | 1 << 1 | 1 << 2 | FLAG_DESCRIPTOR | FLAG_UTF8;
  private static final int VERSION_2_0 = 20;
  private static final int UNIX = 3;
  private static final int UNIX_TYPE = 0xf000;
  private static final int UNIX_FILE = 0x8000;
  private static final int UNIX_DIRECTORY = 0x4000;

  boolean encrypted() {
    return (flags & FLAG_ENCRYPTED) != 0;
  }

  boolean descriptor() {
    return (flags & FLAG_DESCRIPTOR) != 0;
  }

  boolean directory() {
    return name.endsWith("/");
  }

  static CentralHeader read(LittleEndian bytes, int at, int end) throws VerifyException {
    if (end - at < FIXED || bytes.int32(at) != 0x02014b50) {
      throw new VerifyException(STRUCTURE, "no central header at offset " + at);
    }
    int nameLength = bytes.int16(at + 28);
    int extraLength = bytes.int16(at + 30);
    int length = FIXED + nameLength + extraLength;
    if (bytes.int16(at + 32) != 0) {
      throw new VerifyException(STRUCTURE, "an entry with a comment at offset " + at);
    }
    if (length > end - at) {
      throw new VerifyException(
          STRUCTURE, "a central header runs over the end record at offset " + at);
    }
    int flags = bytes.int16(at + 8);
    String name = name(bytes, at + FIXED, nameLength, (flags & FLAG_UTF8) != 0);
    checkFixed(bytes, at, flags, name);
    ExtraFields.check(bytes, at + FIXED + nameLength, extraLength, name);
    long offset = bytes.uint32(at + 42);
    if (offset > Integer.MAX_VALUE) {
      throw new VerifyException(STRUCTURE, name + ": its local header lies outside the file");
    }
    return new CentralHeader(
        name,
        flags,
        bytes.int16(at + 10),
        bytes.int32(at + 12),
        bytes.uint32(at + 16),
        bytes.uint32(at + 20),
        bytes.uint32(at + 24),
        (int) offset,
        at,
        length);
  }

  private static void checkFixed(LittleEndian bytes, int at, int flags, String name)
      throws VerifyException {
    if (bytes.int32(at + 20) == -1 || bytes.int32(at + 24) == -1 || bytes.int32(at + 42) == -1) {
      throw new VerifyException(ZIP64, name + ": refers to zip64");
    }
    if (bytes.int16(at + 6) > VERSION_2_0) {
      throw new VerifyException(ZIP64, name + ": needs more than version 2.0 of the format");
    }
    if ((flags & ~FLAGS_KNOWN) != 0) {
      throw new VerifyException(STRUCTURE, name + ": unknown flags");
    }
    if (bytes.int16(at + 34) != 0) {
      throw new VerifyException(STRUCTURE, name + ": lies in another part of the archive");
    }
    int type = bytes.int16(at + 40) & UNIX_TYPE;
    if (bytes.int16(at + 4) >> 8 == UNIX
        && type != 0
        && type != UNIX_FILE
        && type != UNIX_DIRECTORY) {
      throw new VerifyException(STRUCTURE, name + ": neither a file nor a directory");
    }
  }

  private static String name(LittleEndian bytes, int at, int length, boolean utf8)
      throws VerifyException {
    Charset charset = utf8 ? StandardCharsets.UTF_8 : StandardCharsets.US_ASCII;
    try {
      return charset.newDecoder().decode(ByteBuffer.wrap(bytes.array(), at, length)).toString();
    } catch (CharacterCodingException e) {
      throw new VerifyException(NAME, "an entry's name is not " + charset + " at offset " + at, e);
    }
  }
}
