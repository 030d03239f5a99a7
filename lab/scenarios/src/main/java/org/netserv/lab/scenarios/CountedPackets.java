// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Packets, and how often each counter of a victim has to go up because of them. */
final class CountedPackets {
  private final Attacked victim;
  private final List<byte[]> packets = new ArrayList<>();
  private final List<Integer> raises = new ArrayList<>();
  private final Map<String, Long> expected = new TreeMap<>();

  CountedPackets(Attacked victim) {
    this.victim = victim;
  }

  /** Adds a packet that raises these counters once each. */
  void add(byte[] packet, String... counters) {
    packets.add(packet);
    raises.add(counters.length);
    Arrays.stream(counters).forEach(each -> expected.merge(each, 1L, Long::sum));
  }

  /**
   * Adds a packet whose header is refused.
   *
   * @param error the refusal's name, docs/protocols/serval.md
   */
  void broken(byte[] packet, String error) {
    add(packet, victim.ofHeader(error));
  }

  List<byte[]> packets() {
    return packets;
  }

  /** Returns the sum by which all counters go up for so many first packets. */
  long raised(int count) {
    return raises.subList(0, count).stream().mapToLong(Integer::longValue).sum();
  }

  Map<String, Long> expected() {
    return expected;
  }
}
