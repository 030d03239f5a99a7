// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Stolen HANDLE =
      new Stolen() {
        @Override
        public boolean pass() {
          return true;
        }

        @Override
        public boolean drop() {
          return true;
        }

        @Override
        public boolean change(byte[] packet) {
          return true;
        }
      };

  private final List<Stolen> taken = new ArrayList<>();
  private int opened;

  private static Packet packet() {
    return Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[5]);
  }

  private PacketCursor cursor(boolean sample) {
    byte[] bytes = packet().toBytes();
    PacketCursor cursor =
        new PacketCursor(
            ByteBuffer.wrap(bytes),
            new PacketCounters(),
            () -> {
              opened++;
              return HANDLE;
            });
    assertNull(cursor.point(0, bytes.length, 0, bytes.length, 1500));
    cursor.arrived(sample, 0);
    return cursor;
  }

  @Test
  void theLastCallCounts() {
    Decision decision = Packets.decision(packet());
    assertNull(decision.verdict());
    assertSame(decision, decision.drop("a"));
    assertEquals(Verdict.DROP, decision.verdict());
    assertEquals("a", decision.reason());
    assertSame(decision, decision.changed());
    assertEquals(Verdict.CHANGED, decision.verdict());
    assertNull(decision.reason());
    assertSame(decision, decision.pass("b"));
    assertEquals(Verdict.PASS, decision.verdict());
    assertEquals("b", decision.reason());
  }

  @Test
  void theNextPacketHasABlankOne() {
    PacketCursor cursor = cursor(false);
    cursor.decision().steal("x", taken::add).offload(7);
    assertSame(HANDLE, cursor.stolen());
    cursor.blank();
    assertNull(cursor.decision().verdict());
    assertNull(cursor.decision().reason());
    assertNull(cursor.stolen());
    assertEquals(0, cursor.decision().offloadSeconds());
  }

  @Test
  void stealsOnlyWithAHandle() {
    Decision refused = Packets.decision(packet()).steal("x", taken::add);
    assertEquals(Verdict.PASS, refused.verdict());
    assertEquals("steal refused", refused.reason());
    assertEquals(List.of(), taken);
    Decision stolen = Packets.decision(packet(), HANDLE).steal("x", taken::add);
    assertEquals(Verdict.STOLEN, stolen.verdict());
    assertEquals("x", stolen.reason());
    assertEquals(List.of(HANDLE), taken);
  }

  @Test
  void aPacketIsStolenOnceAndASampleNever() {
    PacketCursor cursor = cursor(false);
    cursor.decision().steal("x", taken::add);
    assertEquals(Verdict.STOLEN, cursor.decision().steal("y", taken::add).verdict());
    assertEquals(1, opened);
    assertEquals(Verdict.PASS, cursor(true).decision().steal("x", taken::add).verdict());
    assertEquals(1, opened);
  }

  @Test
  void anOffloadIsAskedForOnce() {
    Decision decision = Packets.decision(packet());
    assertEquals(0, decision.offloadSeconds());
    assertSame(decision, decision.pass("media").offload(1));
    assertEquals(Verdict.PASS, decision.offload(65535).verdict());
    assertEquals(65535, decision.offloadSeconds());
    assertThrows(IllegalArgumentException.class, () -> decision.offload(0));
    assertThrows(IllegalArgumentException.class, () -> decision.offload(65536));
  }

  @Test
  void noOffloadOfASampleOrAFragment() {
    assertEquals(0, Packets.decision(Packets.sample(packet())).offload(60).offloadSeconds());
    byte[] first = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[64]).toBytes();
    first[6] = 0x20;
    assertEquals(0, Packets.decision(Packets.of(first)).offload(60).offloadSeconds());
  }
}
