// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class PacketPortTest {
  private static final int SLOTS = 64;

  private static ByteBuffer memory(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer attach() {
    ByteBuffer descriptors = memory(Ring.dBytes(SLOTS)).putInt(Ring.D_SLOTS, SLOTS);
    ByteBuffer slots = memory(Ring.sBytes(SLOTS));
    PacketPort.attach(descriptors, slots, memory(PacketPort.STATUS_SIZE));
    return slots;
  }

  private static void assertPassed(ByteBuffer slots, int record, int seq) {
    int at = Ring.S_VERDICT + record * Ring.VERDICT_SIZE;
    assertEquals(seq, slots.getInt(at + Ring.VERDICT_SEQ));
    assertEquals(Ring.PASS, slots.getInt(at + Ring.VERDICT_CODE));
  }

  @Test
  void withoutAHandlerEveryPacketPasses() {
    ByteBuffer slots = attach();
    slots.putInt(Ring.S_VERDICT + 127 * Ring.VERDICT_SIZE + Ring.VERDICT_CODE, Ring.DROP);
    PacketPort.handler(null);
    long first = 0x1_0000_0000L;
    assertEquals(2, PacketPort.onBatch(first, 2, 127));
    assertPassed(slots, 127, 0);
    assertPassed(slots, 0, 1);
    assertEquals(-1, PacketPort.status().getInt(PacketPort.STATUS_MODULE));
  }

  @Test
  void handlerThatThrowsLetsTheBatchPass() {
    ByteBuffer slots = attach();
    PacketPort.handler(
        (first, count, answered) -> {
          slots.putInt(Ring.S_VERDICT + Ring.VERDICT_CODE, Ring.DROP);
          throw new StackOverflowError();
        });
    try {
      assertEquals(3, PacketPort.onBatch(5, 3, 0));
      assertPassed(slots, 0, 5);
      assertPassed(slots, 2, 7);
    } finally {
      PacketPort.handler(null);
    }
  }

  @Test
  void refusesBuffersThatDoNotFit() {
    ByteBuffer d = memory(Ring.dBytes(SLOTS)).putInt(Ring.D_SLOTS, SLOTS);
    ByteBuffer s = memory(Ring.sBytes(SLOTS));
    ByteBuffer small = memory(64);
    assertThrows(IllegalArgumentException.class, () -> PacketPort.attach(d, small, small));
    d.putInt(Ring.D_SLOTS, 65);
    assertThrows(IllegalArgumentException.class, () -> PacketPort.attach(d, s, small));
    d.putInt(Ring.D_SLOTS, 128);
    assertThrows(IllegalArgumentException.class, () -> PacketPort.attach(d, s, small));
  }
}
