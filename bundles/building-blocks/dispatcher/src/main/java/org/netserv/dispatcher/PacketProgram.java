// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import org.netserv.packet.Packet;

/**
 * A filter's conditions besides addresses and ports: a classic BPF program over the packet's bytes
 * from the IP header on. The node's firewall has the same program. Here the program tells modules
 * of one publisher apart, and stands in for a firewall that takes no programs. Immutable. {@link
 * #matches} allocates nothing.
 */
final class PacketProgram {
  private static final int MOST = 64;

  private static final int LOAD_WORD = 0x20;
  private static final int LOAD_HALF = 0x28;
  private static final int LOAD_BYTE = 0x30;
  private static final int LOAD_WORD_INDEXED = 0x40;
  private static final int LOAD_HALF_INDEXED = 0x48;
  private static final int LOAD_BYTE_INDEXED = 0x50;
  private static final int LOAD_LENGTH = 0x80;
  private static final int INDEX_BY_IPV4_HEADER = 0xb1;
  private static final int AND = 0x54;
  private static final int IF_EQUAL = 0x15;
  private static final int IF_GREATER = 0x25;
  private static final int IF_NOT_LESS = 0x35;
  private static final int IF_ANY_BIT = 0x45;
  private static final int RETURN = 0x06;

  private final int[] codes;
  private final int[] yes;
  private final int[] no;
  private final int[] operands;

  private PacketProgram(int count) {
    codes = new int[count];
    yes = new int[count];
    no = new int[count];
    operands = new int[count];
  }

  /**
   * Reads {@code code:yes:no:operand,...}, at most {@value #MOST} instructions.
   *
   * @throws IllegalArgumentException that names the instruction
   */
  static PacketProgram parse(String text) {
    String[] steps = text.split(",", -1);
    if (steps.length > MOST) {
      throw new IllegalArgumentException("match has more than " + MOST + " instructions");
    }
    PacketProgram program = new PacketProgram(steps.length);
    for (int i = 0; i < steps.length; i++) {
      if (!program.read(i, steps[i].split(":", -1))) {
        throw new IllegalArgumentException("match: instruction " + i + ": " + steps[i]);
      }
    }
    return program;
  }

  private boolean read(int i, String[] numbers) {
    if (numbers.length != 4) {
      return false;
    }
    try {
      codes[i] = Integer.parseInt(numbers[0]);
      yes[i] = Integer.parseInt(numbers[1]);
      no[i] = Integer.parseInt(numbers[2]);
      operands[i] = Integer.parseUnsignedInt(numbers[3]);
    } catch (NumberFormatException e) {
      return false;
    }
    return known(codes[i]) && inside(i, yes[i]) && inside(i, no[i]) && ends(i);
  }

  private static boolean known(int code) {
    return switch (code) {
      case LOAD_WORD,
          LOAD_HALF,
          LOAD_BYTE,
          LOAD_WORD_INDEXED,
          LOAD_HALF_INDEXED,
          LOAD_BYTE_INDEXED,
          LOAD_LENGTH,
          INDEX_BY_IPV4_HEADER,
          AND,
          IF_EQUAL,
          IF_GREATER,
          IF_NOT_LESS,
          IF_ANY_BIT,
          RETURN ->
          true;
      default -> false;
    };
  }

  private boolean inside(int i, int passed) {
    return passed >= 0 && (passed == 0 || i + 1 + passed < codes.length);
  }

  private boolean ends(int i) {
    return i + 1 < codes.length || codes[i] == RETURN;
  }

  /**
   * Tells whether the program accepts the packet. A program that looks behind the packet's end does
   * not.
   */
  boolean matches(Packet packet) {
    int accumulator = 0;
    int index = 0;
    for (int i = 0; ; i++) {
      int operand = operands[i];
      switch (codes[i]) {
        case AND -> accumulator &= operand;
        case LOAD_LENGTH -> accumulator = packet.length();
        case IF_EQUAL -> i += accumulator == operand ? yes[i] : no[i];
        case IF_GREATER -> i += Integer.compareUnsigned(accumulator, operand) > 0 ? yes[i] : no[i];
        case IF_NOT_LESS ->
            i += Integer.compareUnsigned(accumulator, operand) >= 0 ? yes[i] : no[i];
        case IF_ANY_BIT -> i += (accumulator & operand) != 0 ? yes[i] : no[i];
        case RETURN -> {
          return operand != 0;
        }
        default -> {
          int at = codes[i] >= LOAD_WORD_INDEXED && codes[i] <= LOAD_BYTE_INDEXED ? index : 0;
          at += operand;
          if (at < 0 || at > packet.length() - size(codes[i])) {
            return false;
          }
          if (codes[i] == INDEX_BY_IPV4_HEADER) {
            index = 4 * (packet.get(at) & 0xf);
          } else {
            accumulator = load(packet, codes[i], at);
          }
        }
      }
    }
  }

  private static int size(int code) {
    return switch (code) {
      case LOAD_WORD, LOAD_WORD_INDEXED -> 4;
      case LOAD_HALF, LOAD_HALF_INDEXED -> 2;
      default -> 1;
    };
  }

  private static int load(Packet packet, int code, int at) {
    return switch (size(code)) {
      case 4 -> packet.getInt(at);
      case 2 -> packet.getShort(at) & 0xffff;
      default -> packet.get(at) & 0xff;
    };
  }
}
