// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.List;

/** Runs classic BPF as the kernel does: a load from outside the packet ends it with 0. */
final class Machine {
  private final List<long[]> program;
  private byte[] packet;
  private long a;
  private long x;
  private final long[] memory = new long[16];

  /** Reads {@code code yes no operand}, with spaces or colons, in lines or separated by commas. */
  Machine(String text) {
    program =
        List.of(text.strip().split("[,\n]", -1)).stream()
            .map(
                line -> {
                  String[] parts = line.strip().split("[ :]", -1);
                  return new long[] {
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    Long.parseLong(parts[3])
                  };
                })
            .toList();
  }

  boolean matches(byte[] bytes) {
    packet = bytes;
    a = 0;
    x = 0;
    try {
      return run() != 0;
    } catch (ArrayIndexOutOfBoundsException e) {
      return false;
    }
  }

  private long run() {
    for (int pc = 0; ; pc++) {
      long[] step = program.get(pc);
      int code = (int) step[0];
      long k = step[3];
      switch (code & 0x07) {
        case 0x00 -> a = load(code, k);
        case 0x01 -> x = code == 0xb1 ? 4 * (bytes(k, 1) & 0xf) : index(code, k);
        case 0x02 -> memory[(int) k] = a;
        case 0x03 -> memory[(int) k] = x;
        case 0x04 -> a = arithmetic(code, (code & 0x08) == 0 ? k : x) & 0xffffffffL;
        case 0x05 -> pc += jump(code, k, step);
        case 0x06 -> {
          return k;
        }
        default -> {
          if (code == 0x87) {
            a = x;
          } else {
            x = a;
          }
        }
      }
    }
  }

  private long load(int code, long k) {
    int size = (code & 0x18) == 0 ? 4 : (code & 0x18) == 0x08 ? 2 : 1;
    return switch (code & 0xe0) {
      case 0x00 -> k;
      case 0x20 -> bytes(k, size);
      case 0x40 -> bytes(x + k, size);
      case 0x60 -> memory[(int) k];
      case 0x80 -> packet.length;
      default -> throw new AssertionError("load " + code);
    };
  }

  private long index(int code, long k) {
    return (code & 0xe0) == 0x60 ? memory[(int) k] : k;
  }

  private long arithmetic(int code, long operand) {
    return switch (code & 0xf0) {
      case 0x00 -> a + operand;
      case 0x10 -> a - operand;
      case 0x40 -> a | operand;
      case 0x50 -> a & operand;
      case 0x60 -> a << operand;
      case 0x70 -> a >>> operand;
      default -> throw new AssertionError("arithmetic " + code);
    };
  }

  private int jump(int code, long k, long[] step) {
    long operand = (code & 0x08) == 0 ? k : x;
    boolean yes =
        switch (code & 0xf0) {
          case 0x00 -> true;
          case 0x10 -> a == operand;
          case 0x20 -> a > operand;
          case 0x30 -> a >= operand;
          case 0x40 -> (a & operand) != 0;
          default -> throw new AssertionError("jump " + code);
        };
    return (int) ((code & 0xf0) == 0x00 ? k : yes ? step[1] : step[2]);
  }

  private long bytes(long at, int size) {
    if (at < 0 || at + size > packet.length) {
      throw new ArrayIndexOutOfBoundsException();
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = (value << 8) | (packet[(int) at + i] & 0xff);
    }
    return value;
  }
}
