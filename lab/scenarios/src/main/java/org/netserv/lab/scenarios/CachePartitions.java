// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The partitions of a key space and the prefixes of serviceIDs by which servers share it. A
 * partition is the four bits behind {@link #PREFIX}. Each prefix of 32 to 36 bits belongs to one of
 * four servers. On the way up from any partition all servers are met, so the partitions of a server
 * that is away fall to others by the longest prefix, and each one as a whole.
 */
final class CachePartitions {
  static final String PREFIX = "00006211";
  static final int PARTITIONS = 16;
  static final int SERVERS = 4;
  private static final int LONGEST = 36;
  private static final int SHORTEST = 32;

  /** Servers of the prefixes of 32, 33, 34, 35 and 36 bits, in the order of the prefixes. */
  private static final List<String> OWNERS =
      List.of("1", "23", "3000", "01312212", "3100123313202210");

  private CachePartitions() {}

  /** Returns the prefixes of a server, as orders of sald and properties of routers have them. */
  static List<String> prefixes(int server) {
    List<String> prefixes = new ArrayList<>();
    for (int bits = SHORTEST; bits <= LONGEST; bits++) {
      for (int i = 0; i < 1 << (bits - SHORTEST); i++) {
        if (owner(bits, i) == server) {
          prefixes.add(PREFIX + Integer.toHexString(i << (LONGEST - bits)) + "/" + bits);
        }
      }
    }
    return prefixes;
  }

  private static int owner(int bits, int prefix) {
    return OWNERS.get(bits - SHORTEST).charAt(prefix) - '0';
  }

  /** Returns the server of a partition's longest prefix among the servers that are there. */
  static int server(int partition, Set<Integer> there) {
    for (int bits = LONGEST; bits >= SHORTEST; bits--) {
      int owner = owner(bits, partition >> (LONGEST - bits));
      if (there.contains(owner)) {
        return owner;
      }
    }
    throw new IllegalStateException("no server is there");
  }
}
