// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * A noisy module. From its first packet on it takes all the CPU that it gets, fills half of its
 * heap again and again, and thinks long about each packet.
 */
public class Noisy implements BundleActivator, PktProcessor {
  private static final int THREADS = 4;
  private static final int BLOCK = 1 << 20;
  private static final long THINK_NANOS = 50_000;

  private final int threads;
  private volatile boolean over;
  private boolean begun; // only the packet thread uses it

  public Noisy() {
    this(THREADS);
  }

  Noisy(int threads) {
    this.threads = threads;
  }

  @Override
  public void start(BundleContext context) {
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  private void begin() {
    begun = true;
    for (int i = 0; i < threads; i++) {
      begin(this::burn);
    }
    begin(this::fill);
  }

  private static void begin(Runnable work) {
    Thread thread = new Thread(work, "noise");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void stop(BundleContext context) {
    over = true;
  }

  private void burn() {
    while (!over) {
      Thread.onSpinWait();
    }
  }

  private void fill() {
    long blocks = Runtime.getRuntime().maxMemory() / BLOCK / 2;
    while (!over) {
      List<byte[]> all = new ArrayList<>();
      for (long i = 0; i < blocks && !over; i++) {
        byte[] block = new byte[BLOCK];
        block[(int) (i % BLOCK)] = 1;
        all.add(block);
      }
    }
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    if (!begun) {
      begin();
    }
    long end = System.nanoTime() + THINK_NANOS;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return decision.pass("thought about");
  }
}
