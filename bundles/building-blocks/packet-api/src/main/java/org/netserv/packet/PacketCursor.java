// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * The dispatcher's side of {@link Packet} and {@link Decision}: points one packet at one slot after
 * the other, and hands out its decision blank. A packet thread has one cursor, and nothing is
 * allocated per packet. A module has no way from its packet to the cursor.
 */
public final class PacketCursor {
  private final Slot slot;
  private final Layout layout;
  private final Packet packet;
  private final Decision decision;

  /** A cursor over {@code slots} with counters of its own. Nothing can be stolen. */
  public PacketCursor(ByteBuffer slots) {
    this(slots, new PacketCounters(), () -> null);
  }

  /**
   * A cursor over {@code slots}, direct or heap. Position, limit and byte order do not matter.
   *
   * @param counters of this cursor alone
   * @param theft opens a handle for the packet that is being processed, or returns null if it must
   *     not be stolen now. {@link Decision#steal} calls it, on the packet thread.
   */
  public PacketCursor(ByteBuffer slots, PacketCounters counters, Supplier<Stolen> theft) {
    slot = new Slot(slots, counters);
    layout = slot.layout;
    packet = new Packet(slot);
    decision = new Decision(packet, theft);
  }

  /** Returns the packet. It is the same object for all packets, and valid after {@link #point}. */
  public Packet packet() {
    return packet;
  }

  /** Returns the decision about the packet. It is the same object for all packets. */
  public Decision decision() {
    return decision;
  }

  /**
   * Points the packet at its bytes, checks every length in its headers and makes the decision
   * blank. The packet is then neither a sample nor has it an arrival time.
   *
   * @param low first byte of the slot
   * @param high end of the slot (exclusive)
   * @param start of the IP header, absolute
   * @param length received bytes; bytes behind the IP length are cut off
   * @param mtu the packet must not grow beyond; 0 = not beyond its present length
   * @return null if the packet is well-formed, else the reason, counted. The packet must not be
   *     used then.
   * @throws IndexOutOfBoundsException if the bytes are not in the slot, or the slot not in the area
   */
  public Malformed point(int low, int high, int start, int length, int mtu) {
    decision.blank();
    return slot.point(low, high, start, length, mtu);
  }

  /** Sets the properties that are not in the packet itself. Call it after {@link #point}. */
  public void arrived(boolean sample, int micros) {
    layout.sample = sample;
    layout.micros = micros;
  }

  /** Forgets the last module's decision, before the next module runs. */
  public void blank() {
    decision.blank();
  }

  /** Returns the number of changes by the packet's setters since {@link #point}. */
  public int changes() {
    return layout.changes;
  }

  /** Returns the handle that was opened since the decision was last blank, or null. */
  public Stolen stolen() {
    return decision.stolen();
  }
}
