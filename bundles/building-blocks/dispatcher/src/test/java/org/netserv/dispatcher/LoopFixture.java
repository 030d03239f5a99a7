// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.netserv.host.Host;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;

/** A loop over memory of its own, with a clock that the test turns. */
final class LoopFixture {
  static final int SLOTS = 64;

  final ByteBuffer d = memory(Ring.dBytes(SLOTS)).putInt(Ring.D_SLOTS, SLOTS);
  final ByteBuffer s = memory(Ring.sBytes(SLOTS));
  final ByteBuffer status = memory(PacketPort.STATUS_SIZE);
  final List<String> faults = new ArrayList<>();
  final List<ChainStage> stages = new ArrayList<>();
  final Thefts thefts;
  final PacketLoop loop;
  long nanos;
  int wakes;
  private long next;
  private long answered;

  LoopFixture() {
    PacketPort.host(
        new Host() {
          @Override
          public void wake() {
            wakes++;
          }

          @Override
          public void module(int index, String name, ClassLoader loader) {}

          @Override
          public String dump(String kind) {
            return null;
          }

          @Override
          public void trim() {}
        });
    thefts = new Thefts(s, Ring.sSlots(SLOTS), 4, 1000, () -> nanos);
    loop =
        new PacketLoop(
            d,
            s,
            status,
            thefts,
            (module, what, out) -> faults.add(module.name + " " + Reasons.of(what) + " " + out),
            () -> 1234,
            3);
  }

  private static ByteBuffer memory(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  Module add(String name, PktProcessor processor, PacketFilter... filters) {
    Module module = new Module(name, stages.size(), stages.size(), List.of(filters));
    stages.add(new ChainStage(module, processor, 0, stages.size(), stages.size()));
    loop.chain(stages.toArray(ChainStage[]::new));
    return module;
  }

  /** Puts a packet into the next slot. */
  void place(int i, byte[] packet, int flags) {
    int seq = (int) next + i;
    int slot = seq & (SLOTS - 1);
    int at = Ring.D_DESC + slot * Ring.DESC_SIZE;
    d.putInt(at + Ring.DESC_SLOT, slot).putInt(at + Ring.DESC_OFFSET, Ring.HEADROOM);
    d.putInt(at + Ring.DESC_LENGTH, packet.length).putShort(at + Ring.DESC_MTU, (short) 1500);
    d.put(at + Ring.DESC_FLAGS, (byte) flags);
    s.put(Ring.sSlots(SLOTS) + slot * Ring.SLOT_SIZE + Ring.HEADROOM, packet);
  }

  int upcall(int count) {
    int written = loop.onBatch(next, count, answered);
    next += count;
    answered += written;
    return written;
  }

  /** The code of the last verdict record but {@code back}. */
  int code(int back) {
    return s.getInt(record(back) + Ring.VERDICT_CODE);
  }

  int record(int back) {
    int number = (int) (answered - 1 - back) & (2 * SLOTS - 1);
    return Ring.S_VERDICT + number * Ring.VERDICT_SIZE;
  }

  int push(Packet packet) {
    place(0, packet.toBytes(), 0);
    upcall(1);
    return code(0);
  }

  int pushSample(Packet packet) {
    place(0, packet.toBytes(), Ring.F_COPY);
    upcall(1);
    return code(0);
  }
}
