// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.netserv.http.HeadEnd;

/** The bytes that a connection has received and nobody has read yet. */
final class Inbox {
  private static final int FIRST = 2048;
  private static final int KEPT = 65_536; // bytes of an empty inbox, at most

  private byte[] bytes = new byte[0];
  private int start;
  private int stop;
  private int searched; // index up to which no head ends

  void add(ByteBuf more) {
    int count = more.readableBytes();
    if (start == stop) {
      clear();
    }
    if (count > bytes.length - stop) {
      int size = stop - start;
      byte[] larger =
          size + count <= bytes.length ? bytes : new byte[Math.max(FIRST, 2 * (size + count))];
      System.arraycopy(bytes, start, larger, 0, size);
      searched = Math.max(0, searched - start);
      bytes = larger;
      start = 0;
      stop = size;
    }
    more.readBytes(bytes, stop, count);
    stop += count;
  }

  private void clear() {
    start = 0;
    stop = 0;
    searched = 0;
    if (bytes.length > KEPT) {
      bytes = new byte[KEPT];
    }
  }

  /** Finds the end of the head at the start, or -1. */
  int headEnd() {
    int end = HeadEnd.find(bytes, Math.max(start + 1, searched), stop);
    if (end < 0) {
      searched = Math.max(start + 1, stop - 3);
    }
    return end;
  }

  /** Takes what is in front of an index as read. */
  void skip(int index) {
    start = index;
    searched = index;
  }

  /** Copies the bytes in front of an index, into an array that is at least as long. */
  byte[] copy(int end, byte[] reused) {
    int size = end - start;
    if (reused.length < size) {
      return Arrays.copyOfRange(bytes, start, end);
    }
    System.arraycopy(bytes, start, reused, 0, size);
    return reused;
  }

  byte[] bytes() {
    return bytes;
  }

  int start() {
    return start;
  }

  int stop() {
    return stop;
  }

  int size() {
    return stop - start;
  }
}
