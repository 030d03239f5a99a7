// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.nio.ByteBuffer;
import java.util.Hashtable;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * A module that comes and goes. It has memory outside the heap and a thread of its own, and both
 * end with it.
 */
public final class Visitor implements BundleActivator, PktProcessor, Runnable {
  private static final int BYTES = 256 << 10;

  private ByteBuffer last;
  private Thread thread;

  @Override
  public void start(BundleContext context) {
    last = ByteBuffer.allocateDirect(BYTES);
    thread = new Thread(this, "visitor");
    thread.start();
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  @Override
  public void run() {
    try {
      while (true) {
        Thread.sleep(1000);
      }
    } catch (InterruptedException e) {
      // the module stops
    }
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    last.putInt(0, packet.payloadLength());
    return decision.pass("seen");
  }
}
