// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.netserv.packet.Packet;

/** A module in the packet path. Counters are written by the packet thread alone. */
final class Module {
  final String name;
  final long bundleId;
  final int index;
  final AtomicLong packets = new AtomicLong();
  final AtomicLong pass = new AtomicLong();
  final AtomicLong drop = new AtomicLong();
  final AtomicLong changed = new AtomicLong();
  final AtomicLong stolen = new AtomicLong();
  final AtomicLong errors = new AtomicLong();
  final AtomicLong last = new AtomicLong();
  private volatile PacketFilter[] filters;
  private volatile boolean gone;
  private volatile boolean quarantined;
  private volatile String reason = "";

  /**
   * @param index of the module in the status buffer
   */
  Module(String name, long bundleId, int index, List<PacketFilter> filters) {
    this.name = name;
    this.bundleId = bundleId;
    this.index = index;
    filters(filters);
  }

  void filters(List<PacketFilter> list) {
    filters = list.toArray(PacketFilter[]::new);
  }

  PacketFilter[] filters() {
    return filters;
  }

  boolean sees(Packet packet) {
    for (PacketFilter filter : filters) {
      if (filter.matches(packet)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Tells whether the module, which does not see this packet, would see some other packet of its
   * flow.
   */
  boolean wantsFlow(Packet packet) {
    for (PacketFilter filter : filters) {
      if (filter.isPartial() && filter.isAbout(packet)) {
        return true;
      }
    }
    return false;
  }

  void quarantine() {
    quarantined = true;
  }

  /** Keeps the text of the last exception for the counters. */
  void reason(String text) {
    reason = text;
  }

  void remove() {
    gone = true;
  }

  boolean isGone() {
    return gone;
  }

  /**
   * Tells whether the module is out of the chain for good. A batch under way may still hold a chain
   * that names it.
   */
  boolean isOut() {
    return gone || quarantined;
  }

  /**
   * Adds 1. The counter has one writer, so no atomic addition is needed. Readers only need to see
   * whole numbers.
   */
  static void count(AtomicLong counter) {
    counter.setOpaque(counter.getPlain() + 1);
  }

  ModuleCounters counters() {
    return new ModuleCounters(
        name,
        quarantined,
        reason,
        packets.getOpaque(),
        pass.getOpaque(),
        drop.getOpaque(),
        changed.getOpaque(),
        stolen.getOpaque(),
        errors.getOpaque(),
        last.getOpaque());
  }
}
