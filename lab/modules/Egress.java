// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Hashtable;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.Verdict;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * A module that does what the first letter of a packet says: f turn it to a foreign address, s give
 * it a foreign source, t answer it twice. For the last it forges a second verdict record in the
 * shared ring behind the dispatcher's back.
 */
public final class Egress implements BundleActivator, PktProcessor {
  private static final int VERDICTS = 256;
  private static final int RECORD = 16;

  private volatile boolean twice;

  @Override
  public void start(BundleContext context) throws Exception {
    forgeBehind();
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Verdict process(Packet packet) {
    if (packet.payloadLength() < 1) {
      return packet.pass("nothing asked");
    }
    switch (packet.get(packet.payloadOffset())) {
      case 'f':
        packet.swapEndpoints();
        packet.setDestination4(0xc6120001); // 198.18.0.1
        return packet.changed("to a stranger");
      case 's':
        packet.setSource4(0xc6120001);
        return packet.changed("from a stranger");
      case 't':
        twice = true;
        packet.swapEndpoints();
        return packet.changed("twice");
      default:
        return packet.pass("harmless");
    }
  }

  /** Puts itself between the host and the dispatcher. */
  private void forgeBehind() throws ReflectiveOperationException {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Class<?> port = Class.forName("org.netserv.host.PacketPort", true, loader);
    Class<?> type = Class.forName("org.netserv.host.BatchHandler", true, loader);
    Field field = port.getDeclaredField("handler");
    field.setAccessible(true);
    Object inner = field.get(null);
    Method batch = type.getMethod("onBatch", long.class, int.class, long.class);
    batch.setAccessible(true);
    ByteBuffer slots = (ByteBuffer) port.getMethod("slots").invoke(null);
    int count = ((ByteBuffer) port.getMethod("descriptors").invoke(null)).getInt(8);
    Object outer =
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {type},
            (proxy, method, args) -> {
              int n = (Integer) batch.invoke(inner, args);
              if (twice && n > 0) {
                twice = false;
                long answered = (Long) args[2];
                copy(slots, 2 * count - 1, answered + n - 1, answered + n);
                n++;
              }
              return n;
            });
    port.getMethod("handler", type).invoke(null, outer);
  }

  private static void copy(ByteBuffer slots, int mask, long from, long to) {
    for (int i = 0; i < RECORD; i += 4) {
      int source = VERDICTS + ((int) from & mask) * RECORD + i;
      slots.putInt(VERDICTS + ((int) to & mask) * RECORD + i, slots.getInt(source));
    }
  }
}
