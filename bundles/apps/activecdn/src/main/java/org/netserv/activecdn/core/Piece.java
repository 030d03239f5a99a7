// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/**
 * A piece of what a client is sent: octets of their own, or a range of a content.
 *
 * @param literal the octets, or null
 * @param from offset of the first byte in the content
 * @param to offset behind the last byte, or END for the end of the content
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares pieces
record Piece(byte[] literal, long from, long to) {
  static final long END = Long.MAX_VALUE;

  static Piece literal(byte[] octets) {
    return new Piece(octets, 0, octets.length);
  }

  static Piece range(long from, long to) {
    return new Piece(null, from, to);
  }
}
