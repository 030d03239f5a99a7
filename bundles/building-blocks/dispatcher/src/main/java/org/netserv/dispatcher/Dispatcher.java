// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The agent's control over the packet path. Safe for any thread but the packet thread. The packet
 * path itself never stops.
 */
@ProviderType
public interface Dispatcher {
  /**
   * Ties a bundle to a module name and sets the module's filters. The bundle's {@code PktProcessor}
   * services join the chain when they are registered, or now. For a module that is there already,
   * only the filters change.
   *
   * @param loader of the bundle's classes, for reports on faults
   * @param filters any of them may match; none = the module sees no packets
   * @throws IllegalStateException if there are too many modules
   */
  void module(String name, long bundleId, ClassLoader loader, List<PacketFilter> filters);

  /**
   * Takes the module out of the chain. Packets that it has stolen pass.
   *
   * @return its counters, null if it was not there
   */
  ModuleCounters remove(String name);

  /** Counters of the packet path as a whole, in a fixed order. */
  Map<String, Long> counters();

  /** Counters of each module, oldest module first. */
  List<ModuleCounters> modules();

  /**
   * Records the next packets with the verdict of each module.
   *
   * @param count of packets, at least 1
   * @param timeout when to come back with fewer
   * @throws IllegalStateException if another trace runs
   */
  List<TracedPacket> trace(int count, Duration timeout) throws InterruptedException;

  /** Hears of modules that are taken out of the chain. */
  @FunctionalInterface
  interface QuarantineListener {
    /**
     * Tells of a module that threw too often and is shown no packet any more.
     *
     * @param bundleId of the bundle that threw: another one may have the module's name by now
     */
    void quarantined(String module, long bundleId, String reason);
  }

  /** Sets the listener for quarantines; null = none. */
  void onQuarantine(QuarantineListener listener);
}
