// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.List;
import org.netserv.filter.pcap.Program.Label;
import org.netserv.values.Prefix;

/**
 * Conditions on single fields of a packet, for each family.
 *
 * <p>IPv6 extension headers are not followed, as in pcap-filter. No condition sees the protocol and
 * ports behind an extension header. Ports and all other fields indexed from the transport header
 * exist in whole packets and first fragments only.
 */
final class Field {
  private static final int IPV4_PROTOCOL = 9;
  private static final int IPV4_FRAGMENT = 6;
  private static final int FRAGMENT_OFFSET = 0x1fff;
  private static final int IPV4_SOURCE = 12;
  private static final int IPV6_NEXT_HEADER = 6;
  private static final int IPV6_SOURCE = 8;
  private static final int IPV6_LENGTH = 40;

  private Field() {}

  static Condition protocol(boolean v6, int number) {
    return Condition.equal(
        Program.LOAD_BYTE, v6 ? IPV6_NEXT_HEADER : IPV4_PROTOCOL, Integer.toUnsignedLong(number));
  }

  static Condition protocols(boolean v6, List<Integer> numbers) {
    Condition any = Condition.NEVER;
    for (int number : numbers) {
      any = any.or(protocol(v6, number));
    }
    return any;
  }

  /** Source or destination in a prefix. */
  static Condition address(boolean v6, boolean source, Prefix prefix) {
    byte[] address = prefix.address().getAddress();
    if (v6 != (address.length == 16)) {
      return Condition.NEVER;
    }
    int at = (v6 ? IPV6_SOURCE : IPV4_SOURCE) + (source ? 0 : address.length);
    Condition all = Condition.ALWAYS;
    for (int i = 0; i * 32 < prefix.length(); i++) {
      int bits = Math.min(32, prefix.length() - i * 32);
      long mask = (0xffffffffL << (32 - bits)) & 0xffffffffL;
      all = all.and(masked(Program.LOAD_WORD, at + 4 * i, mask, word(address, 4 * i)));
    }
    return all;
  }

  private static long word(byte[] bytes, int at) {
    long word = 0;
    for (int i = 0; i < 4; i++) {
      word = (word << 8) | (bytes[at + i] & 0xff);
    }
    return word;
  }

  private static Condition masked(int code, int offset, long mask, long value) {
    return (program, yes, no) -> {
      program.add(code, offset);
      if (mask != 0xffffffffL) {
        program.add(Program.AND, mask);
      }
      program.test(Program.IF_EQUAL, value & mask, yes, no);
    };
  }

  /**
   * Returns a condition for packets of these protocols. The comparison reads bytes from the
   * transport header on.
   */
  static Condition transport(
      boolean v6, List<Integer> protocols, int code, int offset, Condition comparison) {
    Condition rest =
        (program, yes, no) -> {
          if (!v6) {
            program.index();
          }
          program.add(v6 ? code : code + Program.INDEXED, v6 ? IPV6_LENGTH + offset : offset);
          comparison.write(program, yes, no);
        };
    Condition known = protocols(v6, protocols);
    return v6 ? known.and(rest) : known.and(Field::first).and(rest);
  }

  private static void first(Program program, Label yes, Label no) {
    program.add(Program.LOAD_HALF, IPV4_FRAGMENT);
    program.test(Program.IF_ANY_BIT, FRAGMENT_OFFSET, no, yes);
  }

  /** Returns a condition on bytes from the IP header on, or on the packet's length. */
  static Condition loaded(int code, int offset, Condition comparison) {
    return (program, yes, no) -> {
      program.add(code, offset);
      comparison.write(program, yes, no);
    };
  }
}
