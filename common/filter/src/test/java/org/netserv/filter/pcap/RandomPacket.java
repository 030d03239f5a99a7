// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * IP packets of few addresses, protocols and ports, so that questions about them are often met;
 * some are cut.
 */
final class RandomPacket {
  private static final int[] PROTOCOLS = {6, 17, 17, 132, 1, 58, 47};
  private static final int[] PORTS = {5060, 5061, 80, 443, 53, 40000};

  private RandomPacket() {}

  static byte[] next(Random random, boolean ipv4) {
    boolean v4 = ipv4 || random.nextBoolean();
    int options = v4 && random.nextInt(4) == 0 ? 4 * random.nextInt(4) : 0;
    int head = v4 ? 20 + options : 40;
    byte[] packet = new byte[head + 8 + random.nextInt(40)];
    random.nextBytes(packet);
    int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
    ByteBuffer buffer = ByteBuffer.wrap(packet);
    if (v4) {
      packet[0] = (byte) (0x40 | head / 4);
      buffer.putShort(6, (short) (random.nextInt(5) == 0 ? random.nextInt(0x4000) : 0));
      packet[8] = (byte) (random.nextInt(3) == 0 ? 1 : 64);
      packet[9] = (byte) protocol;
      buffer.putInt(12, 0xc0000200 + random.nextInt(5)).putInt(16, 0xc0000200 + random.nextInt(5));
    } else {
      packet[0] = 0x60;
      packet[1] = (byte) (random.nextInt(3) == 0 ? 0xe0 : 0);
      packet[0] |= (byte) (random.nextInt(3) == 0 ? 2 : 0);
      packet[6] = (byte) protocol;
      packet[7] = (byte) (random.nextInt(3) == 0 ? 1 : 64);
      address(buffer, 8, random);
      address(buffer, 24, random);
    }
    buffer.putShort(head, (short) PORTS[random.nextInt(PORTS.length)]);
    buffer.putShort(head + 2, (short) PORTS[random.nextInt(PORTS.length)]);
    if (random.nextInt(3) == 0) {
      packet[head] = (byte) (8 * random.nextInt(2)); // an echo, if it is ICMP
    }
    if (packet.length >= head + 14 && random.nextBoolean()) {
      packet[head + 13] = (byte) (random.nextBoolean() ? 0x02 : 0x12);
      buffer.putInt(head + 8, 0x52454749);
    }
    buffer.putShort(head + 4, (short) (packet.length - head));
    return random.nextInt(20) == 0
        ? java.util.Arrays.copyOf(packet, 1 + random.nextInt(packet.length))
        : packet;
  }

  private static void address(ByteBuffer buffer, int at, Random random) {
    buffer.putLong(at, 0x20010db800000000L | (random.nextBoolean() ? 0x8000L << 16 : 0));
    buffer.putLong(at + 8, random.nextInt(4));
  }
}
