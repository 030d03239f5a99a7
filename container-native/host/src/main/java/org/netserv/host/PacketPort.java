// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The entry of packets into Java. The C host calls {@link #attach} once, before the framework
 * starts, and {@link #onBatch} on its packet thread. The dispatcher sets the handler.
 */
public final class PacketPort {
  /** {@code status}, int 0: index of the module that runs now, or -1. */
  public static final int STATUS_MODULE = 0;

  /** Bytes of the status buffer. */
  public static final int STATUS_SIZE = 64;

  private static volatile Buffers buffers;
  private static volatile BatchHandler handler;
  private static volatile Host host = new NativeHost();

  /** The three shared buffers, little-endian. */
  private record Buffers(ByteBuffer descriptors, ByteBuffer slots, ByteBuffer status) {}

  private PacketPort() {}

  /** Sets the mapped regions: D, S (both as in {@link Ring}) and the status of this process. */
  public static void attach(ByteBuffer descriptors, ByteBuffer slots, ByteBuffer status) {
    int n = descriptors.order(ByteOrder.LITTLE_ENDIAN).getInt(Ring.D_SLOTS);
    if (Integer.bitCount(n) != 1
        || n < Ring.BATCH
        || descriptors.capacity() < Ring.dRecords(n)
        || slots.capacity() < Ring.sAsks(n)
        || status.capacity() < STATUS_SIZE) {
      throw new IllegalArgumentException("ring of " + n + " slots does not fit its buffers");
    }
    slots.order(ByteOrder.LITTLE_ENDIAN);
    status.order(ByteOrder.LITTLE_ENDIAN).putInt(STATUS_MODULE, -1);
    buffers = new Buffers(descriptors, slots, status);
  }

  /** Tells whether this container has packets. Without a ring it runs server modules only. */
  public static boolean isAttached() {
    return buffers != null;
  }

  /** Region D, little-endian; use absolute access only. */
  public static ByteBuffer descriptors() {
    return buffers.descriptors();
  }

  /** Region S, little-endian; use absolute access only. */
  public static ByteBuffer slots() {
    return buffers.slots();
  }

  /** The status buffer, little-endian. */
  public static ByteBuffer status() {
    return buffers.status();
  }

  /** Sets the consumer of packets; null = every packet passes. */
  public static void handler(BatchHandler consumer) {
    handler = consumer;
  }

  /** The process around us. */
  public static Host host() {
    return host;
  }

  /** Puts another process around us: for tests. */
  public static void host(Host other) {
    host = other;
  }

  /**
   * Handles the upcall as {@link BatchHandler#onBatch}; if the handler throws, the batch passes.
   */
  public static int onBatch(long first, int count, long answered) {
    BatchHandler consumer = handler;
    if (consumer != null) {
      try {
        return consumer.onBatch(first, count, answered);
      } catch (Throwable e) {
        // An exception must not cross into C. The dispatcher catches the exceptions of modules, so
        // this is a fault of ours. Forward the batch; the host counts and reports the effects.
        return pass(first, count, answered);
      }
    }
    return pass(first, count, answered);
  }

  private static int pass(long first, int count, long answered) {
    ByteBuffer slots = slots();
    int mask = 2 * descriptors().getInt(Ring.D_SLOTS) - 1;
    for (int i = 0; i < count; i++) {
      int at = Ring.S_VERDICT + ((int) (answered + i) & mask) * Ring.VERDICT_SIZE;
      slots.putInt(at + Ring.VERDICT_SEQ, (int) (first + i));
      slots.putInt(at + Ring.VERDICT_CODE, Ring.PASS);
    }
    return count;
  }

  // Bound by the C host with RegisterNatives.
  private static native void wake();

  private static native void module(int index, String name, ClassLoader loader);

  private static native String dump(String kind);

  private static native void trim();

  private static final class NativeHost implements Host {
    @Override
    public void wake() {
      PacketPort.wake();
    }

    @Override
    public void module(int index, String name, ClassLoader loader) {
      PacketPort.module(index, name, loader);
    }

    @Override
    public String dump(String kind) {
      return PacketPort.dump(kind);
    }

    @Override
    public void trim() {
      PacketPort.trim();
    }
  }
}
