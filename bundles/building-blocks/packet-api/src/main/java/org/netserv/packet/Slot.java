// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The memory that holds one packet and the room around it. {@link PacketCursor} points it at one
 * packet after the other.
 *
 * <pre>
 *   low          layout.start                            layout.start + total      high
 *   | head room  | IP header, options | UDP, TCP | payload |           tail room |
 * </pre>
 */
final class Slot {
  /** The whole slot area, big-endian. */
  final ByteBuffer bytes;

  /** The same area, read-only. */
  final ByteBuffer view;

  final Layout layout = new Layout();
  final Upkeep upkeep;

  private final PacketCounters counters;
  private int low;
  private int high;
  private int received;
  private int mtu;

  /** Position, limit and byte order of {@code slots} do not matter. */
  Slot(ByteBuffer slots, PacketCounters counters) {
    bytes = slots.duplicate().clear().order(ByteOrder.BIG_ENDIAN);
    view = slots.asReadOnlyBuffer().clear().order(ByteOrder.BIG_ENDIAN);
    upkeep = new Upkeep(bytes, layout);
    this.counters = counters;
  }

  /** Does the work of {@link PacketCursor#point}. */
  Malformed point(int low, int high, int start, int length, int mtu) {
    Objects.checkFromToIndex(low, high, bytes.capacity());
    Objects.checkFromIndexSize(start - low, length, high - low);
    this.low = low;
    this.high = high;
    this.mtu = mtu;
    layout.sample = false;
    layout.micros = 0;
    layout.changes = 0;
    view.clear();
    Malformed why = layout.parse(bytes, start, length);
    if (why != null) {
      counters.malformed(why);
      return why;
    }
    received = layout.total;
    return null;
  }

  /** Largest length of the packet, at least its length on arrival. */
  int mtu() {
    return Math.max(mtu, received);
  }

  boolean setPayload(byte[] source, int offset, int length) {
    if (!resize(length)) {
      return false;
    }
    bytes.put(layout.start + layout.payload, source, offset, length);
    upkeep.seal();
    return true;
  }

  boolean setPayload(ByteBuffer source, int offset, int length) {
    if (!resize(length)) {
      return false;
    }
    bytes.put(layout.start + layout.payload, source, offset, length);
    upkeep.seal();
    return true;
  }

  boolean setPayloadLength(int length) {
    int before = layout.payloadLength;
    int oldStart = layout.start;
    if (!resize(length)) {
      return false;
    }
    int payload = layout.start + layout.payload;
    if (layout.start != oldStart) {
      bytes.put(payload, bytes, oldStart + layout.payload, Math.min(before, length));
    }
    for (int i = before; i < length; i++) {
      bytes.put(payload + i, (byte) 0);
    }
    upkeep.seal();
    return true;
  }

  /** Makes room for a payload of this length. Moves the headers, not the payload. */
  private boolean resize(int payloadLength) {
    int total = layout.payload + payloadLength;
    if (total > mtu() && total > layout.total) {
      counters.tooLong();
      return false;
    }
    if (layout.fragment || total > high - low || total > 0xffff) {
      counters.noRoom();
      return false;
    }
    int start = layout.start;
    int excess = start + total - high;
    if (excess > 0) {
      bytes.put(start - excess, bytes, start, layout.payload);
      layout.start = start - excess;
    }
    layout.total = total;
    layout.payloadLength = payloadLength;
    return true;
  }

  /** Returns a copy with memory and counters of its own, and the same room and MTU. */
  Slot copy() {
    int size = high - low;
    ByteBuffer memory = ByteBuffer.allocate(size);
    memory.put(0, bytes, low, size);
    Slot copy = new Slot(memory, new PacketCounters());
    copy.point(0, size, layout.start - low, layout.total, mtu());
    copy.layout.sample = layout.sample;
    copy.layout.micros = layout.micros;
    copy.layout.changes = layout.changes;
    return copy;
  }
}
