// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/**
 * A content and its place in the response.
 *
 * @param from offset of its first byte in the response
 * @param to offset behind its last byte, or {@link Piece#END}
 */
record Part(Content content, long from, long to) {
  /** Makes the part that is all of a response. */
  static Part all(Content content) {
    return new Part(content, 0, Piece.END);
  }
}
