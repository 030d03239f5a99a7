// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * The announcement that routers flood: the prefixes of one router, or a part of them. It is the
 * payload of an unconnected datagram between two neighbours. All numbers are big-endian.
 *
 * <pre>
 *   0   type 7    1  hop limit    2  length, 16 bits
 *   4   sequence number, 64 bits
 *   12  address of the router that announces, 16 (IPv4 as ::ffff:a.b.c.d)    28  port, 16 bits
 *   30  lifetime, seconds, 16 bits
 *   32  part, 16 bits    34  number of parts, 16 bits
 *   36  entries of 36 bytes: 0 prefix bits, 16 bits    2 weight, 16 bits    4 serviceID, 32
 * </pre>
 *
 * @param hopLimit 1 to 255
 * @param part 0 to parts - 1
 * @param parts 1 to {@link #PARTS_MOST}
 * @param prefixes with their weights, at most {@link #ENTRIES_MOST}
 */
record FloodMessage(
    int hopLimit,
    long sequence,
    Endpoint origin,
    int seconds,
    int part,
    int parts,
    Map<ServicePrefix, Integer> prefixes) {
  static final int TYPE = 7;
  static final int ENTRIES_MOST = 30;
  static final int PARTS_MOST = 64;

  private static final int HEADER = 36;
  private static final int ENTRY = 36;
  private static final int PORT = 28;

  /** Tells whether bytes begin as a message of this type. */
  static boolean isFor(ByteBuffer bytes, int first, int stop) {
    return stop - first >= HEADER && bytes.get(first) == TYPE;
  }

  /** Reads a message, or returns null if the range holds none. */
  static FloodMessage get(ByteBuffer bytes, int first, int stop) {
    int length = stop - first;
    boolean whole =
        isFor(bytes, first, stop)
            && (bytes.getShort(first + 2) & 0xffff) == length
            && (length - HEADER) % ENTRY == 0
            && length <= HEADER + ENTRIES_MOST * ENTRY;
    if (!whole) {
      return null;
    }
    Endpoint origin =
        new Endpoint(
            bytes.getLong(first + 12),
            bytes.getLong(first + 20),
            bytes.getShort(first + PORT) & 0xffff);
    FloodMessage read =
        new FloodMessage(
            bytes.get(first + 1) & 0xff,
            bytes.getLong(first + 4),
            origin,
            bytes.getShort(first + 30) & 0xffff,
            bytes.getShort(first + 32) & 0xffff,
            bytes.getShort(first + 34) & 0xffff,
            prefixes(bytes, first + HEADER, stop));
    return read.isSound() ? read : null;
  }

  private static Map<ServicePrefix, Integer> prefixes(ByteBuffer bytes, int first, int stop) {
    Map<ServicePrefix, Integer> prefixes = new LinkedHashMap<>();
    for (int at = first; at < stop; at += ENTRY) {
      int bits = bytes.getShort(at) & 0xffff;
      if (bits <= ServiceId.BITS) { // a longer one is passed over
        int weight = bytes.getShort(at + 2) & 0xffff;
        prefixes.put(new ServicePrefix(ServiceId.get(bytes, at + 4), bits), weight);
      }
    }
    return prefixes;
  }

  private boolean isSound() {
    return hopLimit > 0
        && seconds > 0
        && parts > 0
        && parts <= PARTS_MOST
        && part < parts
        && origin.port() != 0
        && !origin.isForMany();
  }

  /** Returns the bytes, the whole capacity of a buffer. */
  ByteBuffer bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + prefixes.size() * ENTRY);
    bytes.put((byte) TYPE).put((byte) hopLimit).putShort((short) bytes.capacity());
    bytes.putLong(sequence).putLong(origin.high()).putLong(origin.low());
    bytes.putShort((short) origin.port()).putShort((short) seconds);
    bytes.putShort((short) part).putShort((short) parts);
    prefixes.forEach(
        (prefix, weight) -> {
          bytes.putShort((short) prefix.bits()).putShort((short) (int) weight);
          prefix.id().put(bytes, bytes.position());
          bytes.position(bytes.position() + ServiceId.LENGTH);
        });
    return bytes.rewind();
  }

  /** Returns the message for the next hop. */
  FloodMessage onward() {
    return new FloodMessage(hopLimit - 1, sequence, origin, seconds, part, parts, prefixes);
  }

  /** Returns the parts of an announcement. Prefixes beyond all parts are left out. */
  static List<FloodMessage> of(
      int hopLimit,
      long sequence,
      Endpoint origin,
      int seconds,
      Map<ServicePrefix, Integer> prefixes) {
    int wanted = (prefixes.size() + ENTRIES_MOST - 1) / ENTRIES_MOST;
    int parts = Math.max(1, Math.min(PARTS_MOST, wanted));
    List<Map.Entry<ServicePrefix, Integer>> order = List.copyOf(prefixes.entrySet());
    List<FloodMessage> messages = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      Map<ServicePrefix, Integer> some = new LinkedHashMap<>();
      int first = part * ENTRIES_MOST;
      order
          .subList(first, Math.min(order.size(), first + ENTRIES_MOST))
          .forEach(each -> some.put(each.getKey(), each.getValue()));
      messages.add(new FloodMessage(hopLimit, sequence, origin, seconds, part, parts, some));
    }
    return messages;
  }
}
