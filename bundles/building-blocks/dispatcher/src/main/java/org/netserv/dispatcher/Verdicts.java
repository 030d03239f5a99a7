// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import org.netserv.host.Ring;

/** Writes the verdict records of one upcall. Packet thread only. */
final class Verdicts {
  private final ByteBuffer slots;
  private final int mask;
  private long next;
  private int written;

  /**
   * @param slots region S, little-endian
   * @param count of slots
   */
  Verdicts(ByteBuffer slots, int count) {
    this.slots = slots;
    this.mask = 2 * count - 1;
  }

  /** Begins an upcall; {@code answered} is the number of the next free record. */
  void begin(long answered) {
    next = answered;
    written = 0;
  }

  void write(int seq, int code, int offset, int length) {
    int at = Ring.S_VERDICT + ((int) next & mask) * Ring.VERDICT_SIZE;
    slots.putInt(at + Ring.VERDICT_SEQ, seq);
    slots.putInt(at + Ring.VERDICT_CODE, code);
    slots.putInt(at + Ring.VERDICT_OFFSET, offset);
    slots.putInt(at + Ring.VERDICT_LENGTH, length);
    next++;
    written++;
  }

  int written() {
    return written;
  }
}
