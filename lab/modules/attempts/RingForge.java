// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import org.netserv.packet.Packet;
import org.netserv.packet.Verdict;

/**
 * Forges what the container writes into the shared ring, behind the dispatcher's back. It sits
 * between the host and the dispatcher and changes the verdict record of each packet that it was
 * given.
 *
 * <pre>
 *   offset    a changed packet that begins far outside its slot
 *   length    one that ends there
 *   truncate  one that is shorter than its own header says
 *   code      a verdict that does not exist
 *   id        a verdict about a packet of somebody else
 *   cursor    more verdicts than the ring holds
 *   race      the destination flips between the right one and a stranger's while it is checked
 *   turn      nothing is forged, and the packet is answered
 * </pre>
 */
public final class RingForge extends Attempt {
  private static final int ANSWERED = 128;
  private static final int VERDICTS = 256;
  private static final int RECORD = 16;
  private static final int CODE = 4;
  private static final int OFFSET = 8;
  private static final int LENGTH = 12;
  private static final int CHANGED = 2;
  private static final int HEAD_ROOM = 128;
  private static final int DESTINATION = 16;
  private static final long RACE_NANOS = 500_000_000;
  private static final int STRANGER = 0xc6120001; // 198.18.0.1

  private volatile String how = "";
  private int mine;
  private volatile int place;
  private volatile int right;
  private volatile long flipUntil;
  private Thread flipper;
  private boolean between;
  private ByteBuffer slots;
  private int mask;

  @Override
  protected String attempt(String how) throws Exception {
    putBetween();
    if (how.equals("cursor")) {
      long answered = slots.getLong(ANSWERED);
      slots.putLong(ANSWERED, answered + (1L << 40));
    }
    this.how = how;
    return "ready";
  }

  @Override
  protected Verdict other(Packet packet) {
    mine += how.isEmpty() ? 0 : 1;
    if (how.equals("race")) {
      return race(packet);
    }
    if (how.equals("turn")) {
      packet.swapEndpoints();
      return packet.changed("as it may");
    }
    return packet.pass("forged later");
  }

  /** Its destination is right at times only; another thread sees to that before and after. */
  private Verdict race(Packet packet) {
    packet.swapEndpoints();
    right = packet.destination4();
    place = packet.start() + DESTINATION;
    flipUntil = System.nanoTime() + RACE_NANOS;
    if (flipper == null || !flipper.isAlive()) {
      flipper = new Thread(this::flip, "race");
      flipper.setDaemon(true);
      flipper.start();
    }
    return packet.changed("race");
  }

  private void flip() {
    while (System.nanoTime() < flipUntil) {
      int at = place;
      slots.putInt(at, Integer.reverseBytes(STRANGER));
      slots.putInt(at, Integer.reverseBytes(right));
    }
  }

  private synchronized void putBetween() throws ReflectiveOperationException {
    if (between) {
      return;
    }
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Class<?> port = Class.forName("org.netserv.host.PacketPort", true, loader);
    Class<?> type = Class.forName("org.netserv.host.BatchHandler", true, loader);
    Field field = port.getDeclaredField("handler");
    field.setAccessible(true);
    Object inner = field.get(null);
    Method batch = type.getMethod("onBatch", long.class, int.class, long.class);
    batch.setAccessible(true);
    slots = (ByteBuffer) port.getMethod("slots").invoke(null);
    mask = 2 * ((ByteBuffer) port.getMethod("descriptors").invoke(null)).getInt(8) - 1;
    Object outer =
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {type},
            (proxy, method, args) -> {
              int n = (Integer) batch.invoke(inner, args);
              for (int i = n - Math.min(mine, n); i < n; i++) {
                forge(VERDICTS + (((int) (long) (Long) args[2] + i) & mask) * RECORD);
              }
              mine = 0;
              return n;
            });
    port.getMethod("handler", type).invoke(null, outer);
    between = true;
  }

  private void forge(int record) {
    switch (how) {
      case "offset":
        changed(record, 0xffffff00, 100);
        break;
      case "length":
        changed(record, HEAD_ROOM, 0xffffffff);
        break;
      case "truncate":
        changed(record, HEAD_ROOM, 10);
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

  private void changed(int record, int offset, int length) {
    slots.putInt(record + CODE, CHANGED);
    slots.putInt(record + OFFSET, offset);
    slots.putInt(record + LENGTH, length);
  }
}
