// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;

/**
 * Changes packets while pktio checks them. The module turns a packet {@code #N} as it may. When its
 * verdict is out and pktio is awake, another thread overwrites the right destination with a
 * stranger's. It does so once, at a random time before pktio says that it has taken the verdicts:
 *
 * <pre>
 *   published ... pktio awake ---- copy, check, copy, check ... ---- taken
 *                     |--- the write: here, or a little later ---|
 * </pre>
 *
 * Suppose that the wrong destination was written before the packet's verdict counted as taken. If
 * the packet leaves with the right destination, the write came after pktio had copied the packet
 * for its check. The answer to {@code raced} has a 1 for each number with such an early write.
 */
public final class RingRace extends Attempt {
  private static final int NUMBERS = 64;
  private static final int ANSWERED = 128;
  private static final int PKTIO_SLEEPS = 128;
  private static final int TAKEN = 192;
  private static final int DESTINATION = 16;
  private static final int STRANGER = Integer.reverseBytes(0xc6120001); // 198.18.0.1
  private static final long GIVE_UP = 20_000_000;
  private static final long STAY_AWAKE = 20_000_000;

  /**
   * Packets to gather for a race, because a longer check leaves more time. A smaller batch waits
   * for more packets.
   */
  private static final int FEW = 16;

  private static final long GATHER = 3_000_000;

  /** Packets of one upcall. */
  private static final class Batch {
    final int[] numbers = new int[NUMBERS];
    final int[] places = new int[NUMBERS];
    int count;
    long first;
    long end;
  }

  private final byte[] raced = new byte[NUMBERS];
  private final SplittableRandom random = new SplittableRandom(1);
  private Between between;
  private Thread writer;
  private Batch filling = new Batch();
  private volatile Batch ready;
  private long usual = 20_000;

  @Override
  protected synchronized String attempt(String unused) throws Exception {
    if (between == null) {
      between = Between.put(this::written);
      writer = new Thread(this::write, "race");
      writer.setDaemon(true);
      writer.start();
    }
    return "ready";
  }

  @Override
  protected Decision other(Packet packet, Decision decision) {
    byte[] text = new byte[packet.payloadLength()];
    packet.get(packet.payloadOffset(), text, 0, text.length);
    packet.swapEndpoints();
    if (text.length > 1 && text[0] == '#') {
      int number =
          Integer.parseInt(new String(text, 1, text.length - 1, StandardCharsets.US_ASCII));
      raced[number] = '0';
      filling.numbers[filling.count] = number;
      filling.places[filling.count++] = packet.start() + DESTINATION;
      LockSupport.unpark(writer); // the writer takes a while to wake up
    } else {
      packet.setPayload(raced, 0, NUMBERS);
      Arrays.fill(raced, (byte) '0');
    }
    return decision.changed("race");
  }

  private int written(long answered, int count) {
    if (filling.count >= FEW && ready == null) {
      filling.first = answered;
      filling.end = answered + count;
      ready = filling;
      filling = new Batch();
    } else if (filling.count > 0) {
      LockSupport.parkNanos(GATHER);
    }
    filling.count = 0;
    return count;
  }

  private void write() {
    long awake = 0;
    while (true) {
      Batch batch = ready;
      if (batch != null) {
        write(batch);
        ready = null;
        awake = System.nanoTime() + STAY_AWAKE;
      } else if (System.nanoTime() > awake) {
        LockSupport.park();
        awake = System.nanoTime() + STAY_AWAKE;
      }
    }
  }

  private void write(Batch batch) {
    long start = System.nanoTime();
    while (!awaited(batch) && System.nanoTime() - start < GIVE_UP) {
      Thread.onSpinWait();
    }
    start = System.nanoTime();
    long delay = random.nextLong(usual);
    while (System.nanoTime() - start < delay) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < batch.count; i++) {
      between.slots.putInt(batch.places[i], STRANGER);
    }
    VarHandle.fullFence();
    boolean early = between.descriptors.getLong(TAKEN) <= batch.first;
    for (int i = 0; i < batch.count; i++) {
      raced[batch.numbers[i]] = (byte) (early ? '1' : '0');
    }
    long took = System.nanoTime() - start;
    while (!taken(batch) && took < GIVE_UP) {
      Thread.onSpinWait();
      took = System.nanoTime() - start;
    }
    usual = Math.max(1_000, (7 * usual + took) / 8);
  }

  /** Returns true if the batch's verdicts are published and pktio is about to take them. */
  private boolean awaited(Batch batch) {
    VarHandle.acquireFence();
    return between.slots.getLong(ANSWERED) >= batch.end
        && between.descriptors.getInt(PKTIO_SLEEPS) == 0;
  }

  private boolean taken(Batch batch) {
    VarHandle.acquireFence();
    return between.descriptors.getLong(TAKEN) >= batch.end;
  }
}
