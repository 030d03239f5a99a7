// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.netserv.packet.PacketCursor;
import org.netserv.packet.Packets;
import org.netserv.values.AllocatedBytes;

/**
 * Two hundred thousand packets of every form, through {@code process}, one cursor for all of them
 * as in the dispatcher.
 */
class AllocationTest {
  private static final int KINDS = 5;
  private static final int PACKETS = 200_000;

  private final KeepAlive module =
      Messages.module(
          "pass-every",
          "3",
          "max-agents",
          "8",
          "report-to",
          "192.0.2.9:6000",
          "report-key",
          "00".repeat(16));
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
  private final PacketCursor cursor = new PacketCursor(slots);

  @Test
  void processAllocatesNothing() {
    run(100_000);
    assertEquals(0, AllocatedBytes.least(() -> run(PACKETS)));
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
      if (cursor.point(0, Packets.SLOT, Packets.HEADROOM, original.length, Packets.MTU) != null) {
        throw new AssertionError("malformed");
      }
      cursor.arrived(false, i);
      if (i % 3 == 0) { // another agent
        cursor.packet().setSourcePort(1024 + i % 50_000);
      }
      module.process(cursor.packet(), cursor.decision());
    }
  }
}
