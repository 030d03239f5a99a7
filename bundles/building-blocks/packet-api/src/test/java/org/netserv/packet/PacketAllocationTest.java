// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.netserv.values.AllocatedBytes;

/** Reading and changing packets allocates nothing: one view for all of them. */
class PacketAllocationTest {
  private static final int PACKETS = 100_000;

  private final ByteBuffer slots = ByteBuffer.allocateDirect(4 * Packets.SLOT);
  private final PacketCursor cursor = new PacketCursor(slots);
  private final Packet packet = cursor.packet();
  private final byte[] payload = new byte[64];
  private final ByteBuffer other = ByteBuffer.allocateDirect(64);
  private final byte[][] samples = {
    Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, payload).toBytes(),
    Packets.tcp4("192.0.2.1", 1, "192.0.2.2", 2, 2, payload).toBytes(),
    Packets.udp6("2001:db8::1", 1, "2001:db8::2", 2, payload).toBytes(),
    new byte[17],
  };
  private long sink;

  @Test
  void pointGetAndSet() {
    run();
    assertEquals(0, AllocatedBytes.least(this::run));
    assertNotEquals(0, sink);
  }

  private void run() {
    for (int i = 0; i < PACKETS; i++) {
      int slot = (i & 3) * Packets.SLOT;
      byte[] bytes = samples[i & 3];
      slots.put(slot + 128, bytes);
      if (cursor.point(slot, slot + Packets.SLOT, slot + 128, bytes.length, 1500) == null) {
        use();
      }
    }
  }

  private void use() {
    sink += packet.sourceLow() + packet.destinationPort() + packet.getInt(packet.payloadOffset());
    sink += packet.buffer().get(packet.start());
    packet.swapEndpoints();
    packet.setTtl(64);
    packet.setSourcePort(7);
    packet.setInt(packet.payloadOffset(), 9);
    packet.setPayload(payload, 0, 64);
    packet.setPayload(other, 0, 64);
    packet.setPayloadLength(32);
    sink += cursor.decision().changed("constant").offload(60).hashCode() & 1;
  }
}
