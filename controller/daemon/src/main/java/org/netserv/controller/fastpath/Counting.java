// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.fastpath;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.module.ModuleLife;
import org.netserv.filter.FlowFilter;

/**
 * Decides which filters the kernel counts. The kernel has a few counting filters for all containers
 * together. Each container has one table of counts, which does not tell the filters of two modules
 * apart. So one module of a publisher counts at a time. A filter with a count and a sample is
 * counted where the kernel can count, and sampled where it cannot. On the loop.
 */
public final class Counting {
  /** Filters of each family, NS_COUNT_FILTERS of ns_programs.h. */
  static final int FILTERS = 8;

  private final FastPath fastPath;
  private final Supplier<List<ModuleLife>> lives;

  /**
   * @param lives the modules there are
   */
  public Counting(FastPath fastPath, Supplier<List<ModuleLife>> lives) {
    this.fastPath = fastPath;
    this.lives = lives;
  }

  /**
   * Settles filters that policy has granted a module with both a count and a sample. If the kernel
   * can count for the module, all its filters are counted and not sampled. Otherwise none is
   * counted, and the samples stay.
   */
  public List<FlowFilter> settle(ModuleKey module, List<FlowFilter> granted) {
    if (granted.stream().noneMatch(f -> f.count() != null && f.sample() > 0)) {
      return granted;
    }
    boolean counts = refusal(module, granted).isEmpty();
    return granted.stream().map(f -> counts ? f.counted() : f.uncounted()).toList();
  }

  /** Returns the reason why filters of a module cannot be as they ask; empty if they can. */
  public Optional<String> refusalOf(ModuleKey module, List<FlowFilter> settled) {
    return settled.stream().anyMatch(f -> f.count() != null)
        ? refusal(module, settled)
        : Optional.empty();
  }

  private Optional<String> refusal(ModuleKey module, List<FlowFilter> filters) {
    Optional<String> unable = fastPath.cannotCount();
    if (unable.isPresent()) {
      return unable;
    }
    List<ModuleLife> others =
        lives.get().stream()
            .filter(life -> !life.key().equals(module))
            .filter(life -> life.order().filters().stream().anyMatch(f -> f.count() != null))
            .toList();
    for (ModuleLife other : others) {
      if (other.key().user().equals(module.user())) {
        return Optional.of(other.key().module() + " counts already, and a publisher has one table");
      }
    }
    for (int family : new int[] {4, 6}) {
      long wanted = count(filters, family);
      long taken = others.stream().mapToLong(life -> count(life.order().filters(), family)).sum();
      if (wanted > 0 && wanted + taken > FILTERS) {
        return Optional.of(
            String.format(
                "it makes %d filters of IPv%d; the node counts by %d, of which %d are left",
                wanted, family, FILTERS, FILTERS - taken));
      }
    }
    return Optional.empty();
  }

  private static long count(List<FlowFilter> filters, int family) {
    return filters.stream().filter(f -> f.count() != null && f.family() == family).count();
  }
}
