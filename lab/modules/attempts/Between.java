// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** A module's way to the ring itself. It sits between the host and the dispatcher. */
final class Between {
  private static final int VERDICTS = 256;
  static final int RECORD = 16;
  private static final int SLOTS = 8;

  /**
   * Called on the packet thread after the dispatcher has written its verdicts, before anybody reads
   * them.
   */
  interface Written {
    /**
     * Handles {@code count} records from number {@code answered} on. Returns the number of records
     * afterwards.
     */
    int written(long answered, int count);
  }

  /** Region S, little-endian. The container writes it. */
  final ByteBuffer slots;

  /** Region D. Only pktio writes it. */
  final ByteBuffer descriptors;

  private final int mask;

  private Between(ByteBuffer slots, ByteBuffer descriptors) {
    this.slots = slots;
    this.descriptors = descriptors;
    mask = 2 * descriptors.getInt(SLOTS) - 1;
  }

  static Between put(Written after) throws ReflectiveOperationException {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Class<?> port = Class.forName("org.netserv.host.PacketPort", true, loader);
    Class<?> type = Class.forName("org.netserv.host.BatchHandler", true, loader);
    Field field = port.getDeclaredField("handler");
    field.setAccessible(true);
    Object inner = field.get(null);
    Method batch = type.getMethod("onBatch", long.class, int.class, long.class);
    batch.setAccessible(true);
    Object outer =
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {type},
            (proxy, method, args) ->
                after.written((Long) args[2], (Integer) batch.invoke(inner, args)));
    port.getMethod("handler", type).invoke(null, outer);
    return new Between(
        (ByteBuffer) port.getMethod("slots").invoke(null),
        (ByteBuffer) port.getMethod("descriptors").invoke(null));
  }

  /** Returns the place of a verdict record in region S. */
  int record(long number) {
    return VERDICTS + ((int) number & mask) * RECORD;
  }
}
