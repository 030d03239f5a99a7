// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.util.Map;

/** IP protocol numbers and the names a message may use for them. */
public final class Protocols {
  public static final int ICMP = 1;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;

  private static final int DCCP = 33;
  private static final int SCTP = 132;
  private static final int UDPLITE = 136;

  private static final Map<String, Integer> BY_NAME =
      Map.of(
          "icmp", ICMP,
          "tcp", TCP,
          "udp", UDP,
          "dccp", DCCP,
          "gre", 47,
          "esp", 50,
          "ah", 51,
          "icmpv6", ICMPV6,
          "sctp", SCTP,
          "udplite", UDPLITE);

  private Protocols() {}

  /** Reads a name or a number from 1 to 255. */
  public static int parse(String text) throws BadValueException {
    Integer known = BY_NAME.get(text);
    if (known != null) {
      return known;
    }
    int number = Numbers.decimal(text, 255);
    if (number < 1) {
      throw new BadValueException(
          "not a protocol number from 1 to 255 or a known name: " + BadValueException.quote(text));
    }
    return number;
  }

  /** The name when there is one, else the number. */
  public static String print(int protocol) {
    for (Map.Entry<String, Integer> entry : BY_NAME.entrySet()) {
      if (entry.getValue() == protocol) {
        return entry.getKey();
      }
    }
    return Integer.toString(protocol);
  }

  /** True when the protocol's header begins with a source and a destination port. */
  public static boolean hasPorts(int protocol) {
    return protocol == TCP
        || protocol == UDP
        || protocol == DCCP
        || protocol == SCTP
        || protocol == UDPLITE;
  }
}
