// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/** A set of prefixes that tells whether a shorter one covers another prefix. */
final class PrefixSet {
  private final Set<ServicePrefix> prefixes = new HashSet<>();
  private final int[] counts = new int[ServiceId.BITS + 1];
  private final BitSet lengths = new BitSet(ServiceId.BITS + 1);

  boolean isEmpty() {
    return prefixes.isEmpty();
  }

  /** Returns false if the prefix was there. */
  boolean add(ServicePrefix prefix) {
    if (!prefixes.add(prefix)) {
      return false;
    }
    counts[prefix.bits()]++;
    lengths.set(prefix.bits());
    return true;
  }

  /** Returns false if the prefix was not there. */
  boolean remove(ServicePrefix prefix) {
    if (!prefixes.remove(prefix)) {
      return false;
    }
    lengths.set(prefix.bits(), --counts[prefix.bits()] > 0);
    return true;
  }

  /** Tells whether a shorter prefix covers the prefix: one look for each length. */
  boolean covers(ServicePrefix prefix) {
    int bits = lengths.nextSetBit(0);
    while (bits >= 0 && bits < prefix.bits()) {
      if (prefixes.contains(new ServicePrefix(prefix.id(), bits))) {
        return true;
      }
      bits = lengths.nextSetBit(bits + 1);
    }
    return false;
  }

  Collection<ServicePrefix> all() {
    return prefixes;
  }

  void clear() {
    prefixes.clear();
    lengths.clear();
    Arrays.fill(counts, 0);
  }
}
