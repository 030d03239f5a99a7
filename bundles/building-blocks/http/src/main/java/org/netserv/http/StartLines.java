// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** The parts that request lines and status lines have in common (RFC 9112, 2.2 and 2.3). */
final class StartLines {
  /** The answer of {@link #minor} for a version that is well formed and not HTTP/1. */
  static final int OTHER_MAJOR = -2;

  private static final String NAME = "HTTP/";
  private static final int VERSION = 8; // bytes of HTTP/1.1

  private StartLines() {}

  /** Checks the line end at a place. */
  static HeadError ending(byte[] bytes, int at, int stop) {
    if (at == stop) {
      return HeadError.MORE;
    }
    if (bytes[at] == '\n') {
      return HeadError.BARE_LF;
    }
    if (at + 1 == stop) {
      return HeadError.MORE;
    }
    return bytes[at + 1] == '\n' ? HeadError.OK : HeadError.BARE_CR;
  }

  /** Returns the index of the first space, or the end. */
  static int space(byte[] bytes, int start, int end) {
    int at = start;
    while (at < end && bytes[at] != ' ') {
      at++;
    }
    return at;
  }

  /** Reads a version. Returns the minor digit of HTTP/1, OTHER_MAJOR, or -1 if it is none. */
  static int minor(byte[] bytes, int start, int end) {
    if (end - start != VERSION) {
      return -1;
    }
    for (int i = 0; i < NAME.length(); i++) {
      if (bytes[start + i] != NAME.charAt(i)) {
        return -1;
      }
    }
    byte major = bytes[start + 5];
    byte minor = bytes[start + 7];
    if (!Octets.isDigit(major) || bytes[start + 6] != '.' || !Octets.isDigit(minor)) {
      return -1;
    }
    return major == '1' ? minor - '0' : OTHER_MAJOR;
  }
}
