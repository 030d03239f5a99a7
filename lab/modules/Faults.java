// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A module that obeys the first letter of a packet: e exit, o memory, c crash, l loop, t throw. */
public final class Faults implements BundleActivator, PktProcessor {
  @Override
  public void start(BundleContext context) {
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Decision process(Packet packet, Decision decision) {
    if (packet.payloadLength() < 1) {
      return decision.pass("nothing asked");
    }
    switch (packet.get(packet.payloadOffset())) {
      case 'e':
        System.exit(7);
        break;
      case 'o':
        List<byte[]> all = new ArrayList<>();
        while (true) {
          all.add(new byte[1 << 20]);
        }
      case 'c':
        crash();
        break;
      case 'l':
        while (packet.ttl() >= 0) {
          Thread.onSpinWait();
        }
        break;
      case 't':
        throw new IllegalStateException("as it was told");
      default:
        break;
    }
    return decision.pass("harmless");
  }

  private static void crash() {
    try {
      Class<?> type = Class.forName("sun.misc.Unsafe", true, ClassLoader.getSystemClassLoader());
      Field field = type.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      type.getMethod("putLong", long.class, long.class).invoke(field.get(null), 8L, 1L);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
