// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.netserv.host.Host;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;

/** pktio and the C host in one: memory for the ring, and upcalls from the test's thread. */
final class FakeRing implements Host {
  static final int SLOTS = 128;

  /** A verdict record as pktio reads it; {@code packet} only if it is CHANGED. */
  record Answer(int seq, int code, Packet packet) {}

  final Map<Integer, String> modules = new ConcurrentHashMap<>();

  /** The names of all modules there ever were, in order. */
  final List<String> named = new CopyOnWriteArrayList<>();

  final Semaphore wakes = new Semaphore(0);
  private final ByteBuffer d = memory(Ring.dBytes(SLOTS));
  private final ByteBuffer s = memory(Ring.sBytes(SLOTS));
  private long produced;
  private long answered;

  FakeRing() {
    d.putInt(Ring.D_SLOTS, SLOTS);
    PacketPort.host(this);
    PacketPort.attach(d, s, memory(PacketPort.STATUS_SIZE));
  }

  private static ByteBuffer memory(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** One upcall with these packets. */
  List<Answer> push(byte[]... packets) {
    for (int i = 0; i < packets.length; i++) {
      int seq = (int) produced + i;
      int slot = seq & (SLOTS - 1);
      int at = Ring.D_DESC + slot * Ring.DESC_SIZE;
      d.putInt(at + Ring.DESC_SEQ, seq).putInt(at + Ring.DESC_SLOT, slot);
      d.putInt(at + Ring.DESC_OFFSET, Ring.HEADROOM);
      d.putInt(at + Ring.DESC_LENGTH, packets[i].length);
      d.putShort(at + Ring.DESC_MTU, (short) 1500);
      s.put(slotAt(slot) + Ring.HEADROOM, packets[i]);
    }
    return upcall(packets.length);
  }

  /** One upcall with {@code count} descriptors that are there already. */
  List<Answer> upcall(int count) {
    int written = PacketPort.onBatch(produced, count, answered);
    produced += count;
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < written; i++) {
      answers.add(answer((int) (answered + i) & (2 * SLOTS - 1)));
    }
    answered += written;
    return answers;
  }

  private Answer answer(int record) {
    int at = Ring.S_VERDICT + record * Ring.VERDICT_SIZE;
    int seq = s.getInt(at + Ring.VERDICT_SEQ);
    int code = s.getInt(at + Ring.VERDICT_CODE);
    if (code != Ring.CHANGED) {
      return new Answer(seq, code, null);
    }
    byte[] packet = new byte[s.getInt(at + Ring.VERDICT_LENGTH)];
    s.get(slotAt(seq & (SLOTS - 1)) + s.getInt(at + Ring.VERDICT_OFFSET), packet);
    return new Answer(seq, code, Packets.of(packet));
  }

  private static int slotAt(int slot) {
    return Ring.sSlots(SLOTS) + slot * Ring.SLOT_SIZE;
  }

  @Override
  public void wake() {
    wakes.release();
  }

  @Override
  public void module(int index, String name, ClassLoader loader) {
    if (name == null) {
      modules.remove(index);
    } else {
      modules.put(index, name);
      named.add(name);
    }
  }

  @Override
  public void trim() {}

  @Override
  public String dump(String kind) {
    return null;
  }
}
