// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;

/**
 * The heap that was still in use after the last collection, in MiB: a gauge for {@link Overload}.
 * Garbage does not count. An old figure would keep a node strained after its load has gone, because
 * refused work allocates nothing and so triggers no collection. {@link #refresh} therefore asks for
 * a collection when the last one is older than {@link #STALE} and the figure is above the strained
 * mark.
 */
public final class HeapUse {
  /** Milliseconds after which a high figure is measured again. */
  static final long STALE = 5_000;

  private static final long MIB = 1 << 20;

  private final Heap heap;
  private long collections;
  private long collectedAt;

  /** The heap of a JVM, or of a test. */
  interface Heap {
    /** Bytes in use after the last collection of each pool. */
    long live();

    /** Bytes that the heap may grow to. */
    long max();

    /** Collections of the whole heap so far. */
    long collections();

    /** Collects now. */
    void collect();
  }

  /** The heap of this process. */
  public HeapUse() {
    this(new Jvm());
  }

  HeapUse(Heap heap) {
    this.heap = heap;
  }

  /** MiB in use after the last collection. */
  public long used() {
    return heap.live() / MIB;
  }

  /** MiB that the heap may grow to. */
  public long limit() {
    return heap.max() / MIB;
  }

  /**
   * Collects when the figure is high and old. Call it before each tick.
   *
   * @param now monotonic milliseconds
   */
  public void refresh(long now) {
    long count = heap.collections();
    if (count != collections) {
      collections = count;
      collectedAt = now;
    } else if (LoadState.entered(heap.live(), heap.max()) != LoadState.NORMAL
        && now - collectedAt >= STALE) {
      collectedAt = now;
      heap.collect();
    }
  }

  private static final class Jvm implements Heap {
    private final List<MemoryPoolMXBean> pools =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    private final List<String> names = pools.stream().map(MemoryPoolMXBean::getName).toList();

    /** Collectors of the whole heap. After a young collection the old pool's figure is old. */
    private final List<GarbageCollectorMXBean> collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .filter(c -> List.of(c.getMemoryPoolNames()).containsAll(names))
            .toList();

    @Override
    public long live() {
      long sum = 0;
      for (MemoryPoolMXBean pool : pools) {
        MemoryUsage after = pool.getCollectionUsage();
        sum += after == null ? 0 : after.getUsed();
      }
      return sum;
    }

    @Override
    public long max() {
      return Runtime.getRuntime().maxMemory();
    }

    @Override
    public long collections() {
      return collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    @Override
    public void collect() {
      System.gc();
    }
  }
}
