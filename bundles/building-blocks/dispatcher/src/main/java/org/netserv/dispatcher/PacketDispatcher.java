// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Malformed;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.Constants;

/** The dispatcher as a service. It takes modules and services and keeps the chain. */
final class PacketDispatcher implements Dispatcher {
  private static final int MAX_ERRORS = 3;
  private static final int MAX_STOLEN = 256;
  private static final long STEAL_NANOS = TimeUnit.SECONDS.toNanos(35);

  private final ModuleRegistry modules = new ModuleRegistry();
  private final Thefts thefts;
  private final PacketLoop loop;
  private final AtomicBoolean tracing = new AtomicBoolean();
  private final AtomicLong warmUpErrors = new AtomicLong();
  private final AtomicBoolean warm = new AtomicBoolean();
  private final ExecutorService news =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "dispatcher-news");
            thread.setDaemon(true);
            return thread;
          });
  private volatile QuarantineListener listener;

  /** Takes over the packet port, if this container has one. */
  PacketDispatcher() {
    if (!PacketPort.isAttached()) {
      thefts = null;
      loop = null;
      return;
    }
    int slots = PacketPort.descriptors().getInt(Ring.D_SLOTS);
    thefts =
        new Thefts(
            PacketPort.slots(), Ring.sSlots(slots), MAX_STOLEN, STEAL_NANOS, System::nanoTime);
    loop =
        new PacketLoop(
            PacketPort.descriptors(),
            PacketPort.slots(),
            PacketPort.status(),
            thefts,
            this::fault,
            System::currentTimeMillis,
            MAX_ERRORS);
    PacketPort.handler(loop);
  }

  void close() {
    PacketPort.handler(null);
    news.shutdownNow();
  }

  /** Hears of a module's new service (whiteboard). */
  void bindProcessor(PktProcessor processor, Map<String, Object> properties) {
    long bundle = (Long) properties.get(Constants.SERVICE_BUNDLEID);
    Module module = modules.ofBundle(bundle);
    if (module != null) {
      warmUp(module, processor);
    }
    updatedProcessor(processor, properties);
  }

  void updatedProcessor(PktProcessor processor, Map<String, Object> properties) {
    Object rank = properties.get(PktProcessor.RANK);
    modules.service(
        (Long) properties.get(Constants.SERVICE_ID),
        (Long) properties.get(Constants.SERVICE_BUNDLEID),
        processor,
        rank instanceof Integer number ? number : 0);
    rebuild();
  }

  void unbindProcessor(Map<String, Object> properties) {
    modules.serviceGone((Long) properties.get(Constants.SERVICE_ID));
    rebuild();
  }

  @Override
  public void module(String name, long bundleId, ClassLoader loader, List<PacketFilter> filters) {
    modules.add(name, bundleId, loader, filters);
    for (PktProcessor processor : modules.processors(name)) {
      warmUp(modules.ofBundle(bundleId), processor);
    }
    rebuild();
  }

  @Override
  public ModuleCounters remove(String name) {
    Module module = modules.remove(name);
    if (module == null) {
      return null;
    }
    rebuild();
    if (loop != null) {
      thefts.sweep();
      PacketPort.host().wake();
    }
    return module.counters();
  }

  @Override
  public Map<String, Long> counters() {
    Map<String, Long> counters = new LinkedHashMap<>();
    if (loop == null) {
      return counters;
    }
    counters.put("packets", loop.packets.getOpaque());
    counters.put("upcalls", loop.upcalls.getOpaque());
    counters.put("samples", loop.samples.getOpaque());
    counters.put("unmatched", loop.unmatched.getOpaque());
    counters.put("bad-descriptors", loop.badDescriptors.getOpaque());
    counters.put("growth-past-mtu", loop.refusals.refusedTooLong());
    counters.put("growth-no-room", loop.refusals.refusedNoRoom());
    counters.put("offloads", loop.agreement.agreed.getOpaque());
    counters.put("offloads-not-agreed", loop.agreement.notAgreed.getOpaque());
    counters.put("warm-up-errors", warmUpErrors.get());
    for (Malformed why : Malformed.values()) {
      String name = why.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
      counters.put("malformed-" + name, loop.refusals.refused(why));
    }
    return counters;
  }

  @Override
  public List<ModuleCounters> modules() {
    return modules.counters();
  }

  @Override
  public List<TracedPacket> trace(int count, Duration timeout) throws InterruptedException {
    if (loop == null) {
      return List.of();
    }
    if (!tracing.compareAndSet(false, true)) {
      throw new IllegalStateException("another trace is running");
    }
    try {
      Tracer tracer = new Tracer(count);
      loop.trace(tracer);
      return tracer.await(timeout);
    } finally {
      loop.trace(null);
      tracing.set(false);
    }
  }

  @Override
  public void onQuarantine(QuarantineListener listener) {
    this.listener = listener;
  }

  private void rebuild() {
    synchronized (modules) {
      if (loop != null) {
        loop.chain(modules.chain());
      }
    }
  }

  private void warmUp(Module module, PktProcessor processor) {
    if (loop != null && warm.compareAndSet(false, true)) {
      LoopWarmUp.run(); // before the first module sees a packet, so that none waits for it
    }
    if (loop != null && WarmUp.run(processor, module.filters()) != null) {
      warmUpErrors.incrementAndGet();
    }
  }

  /**
   * Hands a quarantine to another thread. The caller is the packet thread, and reading the
   * exception's message may run a module's code.
   */
  private void fault(Module module, Throwable what, boolean out) {
    if (out) {
      news.execute(() -> quarantined(module, what));
    }
  }

  private void quarantined(Module module, Throwable what) {
    module.reason(Reasons.of(what));
    rebuild();
    QuarantineListener told = listener;
    if (told != null) {
      told.quarantined(module.name, module.bundleId, module.counters().reason());
    }
  }
}
