// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;

/**
 * Loads, links and runs the code of the packet loop before the container's first real packet. The
 * loop has a ring of its own here, so pktio sees nothing of it.
 */
final class LoopWarmUp {
  static final int ROUNDS = 30;
  static final int BATCH = 4;

  private static final int SLOTS = Ring.BATCH;
  private static final int PAYLOAD = 64;

  private final ByteBuffer descriptors = memory(Ring.dRecords(SLOTS)).putInt(Ring.D_SLOTS, SLOTS);
  private final ByteBuffer slots = memory(Ring.sAsks(SLOTS));
  private final PacketFilter filter =
      PacketFilter.of(4, 17, null, "192.0.2.0/24", null, "5060", 0, false);
  private final Module module = new Module("warm-up", 0, 0, List.of(filter));

  private LoopWarmUp() {}

  /** Runs batches through a loop. Returns the number of packets that the loop had changed. */
  static long run() {
    return new LoopWarmUp().batches();
  }

  private long batches() {
    PacketLoop loop =
        new PacketLoop(
            descriptors,
            slots,
            memory(PacketPort.STATUS_SIZE),
            new Thefts(slots, Ring.sSlots(SLOTS), 1, 1, System::nanoTime),
            (what, thrown, out) -> {},
            System::currentTimeMillis,
            1);
    loop.chain(new ChainStage[] {new ChainStage(module, LoopWarmUp::change, 0, 0, 0)});
    byte[] packet = filter.example(new byte[PAYLOAD]).toBytes();
    for (long first = 0; first < (long) ROUNDS * BATCH; first += BATCH) {
      for (int i = 0; i < BATCH; i++) {
        place((int) first + i, packet);
      }
      loop.onBatch(first, BATCH, first);
    }
    return module.changed.getPlain();
  }

  private void place(int seq, byte[] packet) {
    int slot = seq & (SLOTS - 1);
    int at = Ring.D_DESC + slot * Ring.DESC_SIZE;
    descriptors.putInt(at + Ring.DESC_SEQ, seq).putInt(at + Ring.DESC_SLOT, slot);
    descriptors.putInt(at + Ring.DESC_OFFSET, Ring.HEADROOM);
    descriptors.putInt(at + Ring.DESC_LENGTH, packet.length);
    descriptors.putShort(at + Ring.DESC_MTU, (short) 1500);
    slots.put(Ring.sSlots(SLOTS) + slot * Ring.SLOT_SIZE + Ring.HEADROOM, packet);
  }

  private static Decision change(Packet packet, Decision decision) {
    packet.setTtl(packet.ttl() - 1);
    return decision.changed("warm-up");
  }

  private static ByteBuffer memory(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
