// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;

/**
 * Forges the container's part of the shared ring behind the dispatcher's back. It changes the
 * verdict record of each packet that it was given:
 *
 * <pre>
 *   offset    a changed packet that begins far outside its slot
 *   length    a changed packet that ends far outside its slot
 *   truncate  a changed packet that is shorter than its own header says
 *   code      a verdict that does not exist
 *   id        a verdict about another owner's packet
 *   cursor    more verdicts than the ring holds
 *   turn      nothing is forged, and the packet is answered
 * </pre>
 */
public final class RingForge extends Attempt {
  private static final int ANSWERED = 128;
  private static final int CODE = 4;
  private static final int OFFSET = 8;
  private static final int LENGTH = 12;
  private static final int CHANGED = 2;
  private static final int HEAD_ROOM = 128;
  private static final long CURSOR_NANOS = 2_000_000_000L;

  private volatile String how = "";
  private volatile Between between;
  private int mine;

  @Override
  protected String attempt(String how) throws Exception {
    if (between == null) {
      between = Between.put(this::written);
    }
    if (how.equals("cursor")) {
      Thread thread = new Thread(this::forgeCursor, "cursor");
      thread.setDaemon(true);
      thread.start();
    }
    this.how = how;
    return "ready";
  }

  /**
   * Writes a wrong cursor again and again, until pktio has looked, because the host writes the
   * right cursor with each batch.
   */
  private void forgeCursor() {
    long wrong = between.slots.getLong(ANSWERED) + (1L << 40);
    long end = System.nanoTime() + CURSOR_NANOS;
    while (System.nanoTime() < end) {
      between.slots.putLong(ANSWERED, wrong);
      VarHandle.fullFence();
    }
  }

  @Override
  protected Decision other(Packet packet, Decision decision) {
    mine += how.isEmpty() ? 0 : 1;
    if (how.equals("turn")) {
      packet.swapEndpoints();
      return decision.changed("as it may");
    }
    return decision.pass("forged later");
  }

  private int written(long answered, int n) {
    for (int i = n - Math.min(mine, n); i < n; i++) {
      forge(between.slots, between.record(answered + i));
    }
    mine = 0;
    return n;
  }

  private void forge(ByteBuffer slots, int record) {
    switch (how) {
      case "offset":
        changed(slots, record, 0xffffff00, 100);
        break;
      case "length":
        changed(slots, record, HEAD_ROOM, 0xffffffff);
        break;
      case "truncate":
        changed(slots, record, HEAD_ROOM, 10);
        break;
      case "code":
        slots.putInt(record + CODE, 99);
        break;
      case "id":
        slots.putInt(record, slots.getInt(record) + 12345);
        break;
      default:
        break;
    }
  }

  private static void changed(ByteBuffer slots, int record, int offset, int length) {
    slots.putInt(record + CODE, CHANGED);
    slots.putInt(record + OFFSET, offset);
    slots.putInt(record + LENGTH, length);
  }
}
