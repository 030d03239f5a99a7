// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;

/**
 * A million packets of every form, through {@code process}, each wrapped anew as the dispatcher
 * does.
 */
class AllocationTest {
  private static final int KINDS = 5;
  private static final int PACKETS = 1_000_000;

  private final KeepAlive module = Messages.module("pass-every", "3", "max-agents", "8");
  private final byte[][] originals = {
    Messages.packet(Messages.notify(1)).toBytes(),
    Messages.packet(Messages.options("sip:192.0.2.1")).toBytes(),
    Messages.packet(new byte[4]).toBytes(),
    Messages.packet(Messages.options("sip:7@192.0.2.1")).toBytes(),
    Messages.packet6(
            new byte[] {
              0, 1, 0, 0, 0x21, 0x12, (byte) 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
            })
        .toBytes()
  };
  private final ByteBuffer slots = ByteBuffer.allocateDirect(Packets.SLOT);
  private final Packet packet = new Packet(slots);

  @Test
  void processAllocatesNothing() {
    run(100_000);
    assertEquals(0, Allocation.least(() -> run(PACKETS)));
    assertEquals(
        true,
        module
            .counters()
            .keySet()
            .containsAll(
                java.util.List.of("NOTIFY", "OPTIONS", "PING", "STUN", "USER", "FIRST", "TURN")),
        module.counters().toString());
  }

  private void run(int packets) {
    for (int i = 0; i < packets; i++) {
      byte[] original = originals[i % KINDS];
      slots.put(Packets.HEADROOM, original);
      if (!packet.wrap(0, Packets.SLOT, Packets.HEADROOM, original.length, Packets.MTU)) {
        throw new AssertionError("malformed");
      }
      packet.begin();
      packet.received(false, i);
      if (i % 3 == 0) { // another agent
        packet.setSourcePort(1024 + i % 50_000);
      }
      module.process(packet);
    }
  }
}
