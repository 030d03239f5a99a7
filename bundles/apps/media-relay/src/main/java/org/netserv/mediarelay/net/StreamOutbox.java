// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/**
 * The bytes that a channel has not taken yet. Memory is held only while there are some.
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
final class StreamOutbox {
  /** Bytes above which media is dropped. */
  static final int DATA_MOST = 64 << 10;

  /** Bytes above which everything is dropped. */
  static final int ALL_MOST = 80 << 10;

  private static final int LEAST = 2048;
  private static final byte[] NOTHING = {};

  private byte[] bytes = NOTHING;
  private int first;
  private int count;

  int count() {
    return count;
  }

  /** Tells whether a message has room. The first one always has. */
  boolean hasRoom(int length, boolean data) {
    return count == 0 || count + length <= (data ? DATA_MOST : ALL_MOST);
  }

  /** Writes bytes, from the buffer's position to its limit, behind those that wait. */
  void write(ByteBuffer from, WritableByteChannel to) throws IOException {
    if (count == 0) {
      to.write(from);
    }
    int left = from.remaining();
    if (left > 0) {
      makeRoom(left);
      from.get(bytes, first + count, left);
      count += left;
    }
  }

  private void makeRoom(int more) {
    if (first + count + more <= bytes.length) {
      return;
    }
    byte[] to =
        count + more <= bytes.length ? bytes : new byte[Math.max(LEAST, 2 * (count + more))];
    System.arraycopy(bytes, first, to, 0, count);
    bytes = to;
    first = 0;
  }

  /**
   * Writes all that waits, as far as the channel takes it.
   *
   * @param scratch any memory
   * @return true if nothing waits any more
   */
  boolean flush(WritableByteChannel to, ByteBuffer scratch) throws IOException {
    while (count > 0) {
      scratch.clear();
      int length = Math.min(count, scratch.capacity());
      scratch.put(bytes, first, length).flip();
      int taken = to.write(scratch);
      first += taken;
      count -= taken;
      if (taken < length) {
        return false;
      }
    }
    bytes = NOTHING;
    first = 0;
    return true;
  }

  /** Returns a copy of all that waits, for tests. */
  byte[] waiting() {
    return Arrays.copyOfRange(bytes, first, first + count);
  }
}
