// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** Sequence numbers, compared modulo 2^32: the half ahead is later (RFC 9293 section 3.4). */
final class Sequence {
  private Sequence() {}

  static boolean isBefore(int one, int other) {
    return one - other < 0;
  }

  static int earlier(int one, int other) {
    return isBefore(one, other) ? one : other;
  }

  static int later(int one, int other) {
    return isBefore(one, other) ? other : one;
  }
}
