// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.net.InetSocketAddress;

/**
 * A rule of a service router. The serviceID is in four words, bit 0 being the highest bit of the
 * first one. All bits behind the prefix are 0.
 *
 * @param router the address and port of the router, as clients send to it
 * @param bits of the prefix, 0 to 256
 * @param target null for {@link Kind#MODULE}
 * @param weight 1 to 65535 for {@link Kind#TARGET}, else 0
 */
public record ServiceRuleEntry(
    Kind kind,
    InetSocketAddress router,
    long first,
    long second,
    long third,
    long fourth,
    int bits,
    InetSocketAddress target,
    int weight) {
  /** The kinds of rules. The number of a kind is in the questions to the kernel. */
  public enum Kind {
    /** Packets of the prefix go to the target, or to other targets of the prefix by weight. */
    TARGET(1),
    /** Packets of the prefix go to the module, whichever targets the prefix has. */
    MODULE(2),
    /** Lists of hops that the target sends are believed. */
    PEER(3);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    public int number() {
      return number;
    }
  }

  private static final int BITS = 256;
  private static final int WORD = 64;
  private static final int MOST_WEIGHT = 0xffff;

  /**
   * Checks the entry.
   *
   * @throws IllegalArgumentException if an address is unresolved or missing, a port is 0, families
   *     differ, or a number is out of range; the message names the field
   */
  public ServiceRuleEntry {
    check("router", router);
    require("target", (target == null) == (kind == Kind.MODULE));
    if (target != null) {
      check("target", target);
      require("target", bytes(target) == bytes(router));
    }
    require("bits", bits >= 0 && bits <= (kind == Kind.PEER ? 0 : BITS));
    require("weight", kind == Kind.TARGET ? weight >= 1 && weight <= MOST_WEIGHT : weight == 0);
    require(
        "serviceID",
        isMasked(first, bits)
            && isMasked(second, bits - WORD)
            && isMasked(third, bits - 2 * WORD)
            && isMasked(fourth, bits - 3 * WORD));
  }

  private static void check(String field, InetSocketAddress address) {
    require(field, address != null && !address.isUnresolved() && address.getPort() != 0);
  }

  private static int bytes(InetSocketAddress address) {
    return address.getAddress().getAddress().length;
  }

  private static boolean isMasked(long word, int bits) {
    return bits >= WORD || (bits <= 0 ? word : word << bits) == 0;
  }

  private static void require(String field, boolean right) {
    if (!right) {
      throw new IllegalArgumentException(field);
    }
  }
}
