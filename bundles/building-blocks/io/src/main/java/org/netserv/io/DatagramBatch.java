// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Many UDP datagrams in one memory, each with its addresses. {@link UdpSocket} and {@link
 * UdpSelector} fill a batch and send one. Nothing is allocated after the constructor.
 *
 * <pre>
 *   entry 0 | entry 1 | ...  |  room 0       | room 1       | ...
 *   length, start, addresses,    size bytes     size bytes
 *   port, socket, error
 * </pre>
 *
 * <p>A received datagram lies in a room. An entry that is sent as it was received goes back to its
 * sender, by the same socket and from the address that was asked. It can be sent on without a copy:
 * {@link #to} names another destination, {@link #via} another socket, and {@link #part} sends a
 * part of it, as behind a header. {@link #part} may also point into another room, so several
 * entries can send the same bytes.
 *
 * <p>Addresses have 128 bits, IPv4 addresses as ::ffff:a.b.c.d. Positions are indexes into {@link
 * #bytes()}.
 *
 * <p><b>Threads.</b> One thread at a time. An index that is no entry throws {@link
 * IndexOutOfBoundsException}.
 */
public final class DatagramBatch {
  /** The largest capacity. */
  public static final int CAPACITY_MOST = 1024;

  /** The largest size of a room, in bytes. */
  public static final int SIZE_MOST = 65_535;

  /** Entries that a batch for a socket that gathers must have. */
  public static final int GATHERED_LEAST = 128;

  /** A socket was full. The number of EAGAIN. */
  public static final int FULL = 11;

  // The layout is that of struct ns_datagram in container-native/host/datagrams.h.
  static final int ENTRY = 80;
  private static final int LENGTH = 0;
  private static final int START = 4;
  private static final int ADDRESS = 8;
  private static final int LOCAL = 24;
  private static final int KEY = 40;
  private static final int SOCKET = 48;
  private static final int PORT = 56;
  private static final int FLAGS = 58;
  private static final int ERROR = 60;
  private static final int SCOPE = 64;
  private static final int TOS = 68;
  private static final int TTL = 69;
  private static final int TYPE = 70;
  private static final int CODE = 71;
  private static final int INFO = 72;

  private static final int TRUNCATED = 1;
  private static final int TRAFFIC = 2;
  private static final int SET_TOS = 4;
  private static final int SET_TTL = 8;
  private static final int WHOLE = 16;
  private static final int ICMP = 32;

  private static final long NO_SOCKET = 0; // no handle is 0
  private static final int PORT_MOST = 0xffff;
  private static final int BYTE_MOST = 0xff;

  private final int capacity;
  private final int rooms;
  private final int size;
  private final ByteBuffer entries; // in the byte order of the machine
  private final ByteBuffer bytes; // the same memory, big-endian
  private final PlainSocket[] sockets; // of the entries, where there are no natives
  private final ByteBuffer view; // the same memory, with bounds of its own; without natives
  private final ByteBuffer spare; // a datagram, and one byte more; without natives

  /**
   * Makes a batch with a room for each entry.
   *
   * @param capacity number of entries, 1 to 1024
   * @param size bytes of a room, 1 to 65535; a longer datagram is cut when it is received
   * @throws IllegalArgumentException if a number is out of range
   */
  public DatagramBatch(int capacity, int size) {
    this(capacity, capacity, size);
  }

  /**
   * Makes a batch with fewer rooms than entries, for sockets that {@link UdpSocket#gather gather}:
   * the datagrams that the kernel has put together are entries that share a room. Without natives
   * all datagrams lie one behind the other, as long as there is memory for one of the full size.
   *
   * @param capacity number of entries, 1 to 1024
   * @param rooms number of rooms, 1 to {@code capacity}
   * @param size bytes of a room, 1 to 65535
   * @throws IllegalArgumentException if a number is out of range
   */
  public DatagramBatch(int capacity, int rooms, int size) {
    require("capacity", capacity, CAPACITY_MOST);
    require("rooms", rooms, capacity);
    require("size", size, SIZE_MOST);
    this.capacity = capacity;
    this.rooms = rooms;
    this.size = size;
    entries =
        ByteBuffer.allocateDirect(capacity * ENTRY + rooms * size).order(ByteOrder.nativeOrder());
    bytes = entries.duplicate().order(ByteOrder.BIG_ENDIAN);
    sockets = UdpSocket.NATIVES ? new PlainSocket[0] : new PlainSocket[capacity];
    view = bytes.duplicate();
    spare = ByteBuffer.allocateDirect(UdpSocket.NATIVES ? 0 : size + 1);
  }

  private static void require(String name, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(name + " is 1-" + most + ", not " + value);
    }
  }

  public int capacity() {
    return capacity;
  }

  public int rooms() {
    return rooms;
  }

  /** Returns the bytes of a room. */
  public int size() {
    return size;
  }

  /**
   * Returns the memory of all datagrams, big-endian. Use absolute indexes. Whoever writes below
   * {@code room(0)} spoils entries, and nothing else.
   */
  public ByteBuffer bytes() {
    return bytes;
  }

  /**
   * Returns the position of a room.
   *
   * @param room 0 to {@code rooms() - 1}
   */
  public int room(int room) {
    return capacity * ENTRY + Objects.checkIndex(room, rooms) * size;
  }

  // ---- what a datagram is

  /** Returns the position of the datagram's first byte. */
  public int start(int entry) {
    return entries.getInt(at(entry) + START);
  }

  /** Returns the datagram's length in bytes. */
  public int length(int entry) {
    return entries.getInt(at(entry) + LENGTH);
  }

  /** Tells whether a received datagram was longer than its room, and has lost its end. */
  public boolean isTruncated(int entry) {
    return (flags(entry) & TRUNCATED) != 0;
  }

  /** Returns the upper half of the other side's address. */
  public long addressHigh(int entry) {
    return bytes.getLong(at(entry) + ADDRESS);
  }

  /** Returns the lower half of the other side's address. */
  public long addressLow(int entry) {
    return bytes.getLong(at(entry) + ADDRESS + Long.BYTES);
  }

  /** Returns the other side's port, 0-65535. */
  public int port(int entry) {
    return entries.getShort(at(entry) + PORT) & PORT_MOST;
  }

  /**
   * Returns the upper half of the address to which a datagram came. Both halves are 0 if the socket
   * is bound to one address.
   */
  public long localHigh(int entry) {
    return bytes.getLong(at(entry) + LOCAL);
  }

  /** Returns the lower half of the address to which a datagram came. */
  public long localLow(int entry) {
    return bytes.getLong(at(entry) + LOCAL + Long.BYTES);
  }

  /** Returns the key under which {@link UdpSelector} has the socket that received this entry. */
  public long key(int entry) {
    return entries.getLong(at(entry) + KEY);
  }

  /** Tells whether {@link #tos} and {@link #ttl} are known, see {@link UdpSocket#traffic}. */
  public boolean hasTraffic(int entry) {
    return (flags(entry) & TRAFFIC) != 0;
  }

  /** Returns the TOS or traffic class of a received packet, 0-255. */
  public int tos(int entry) {
    return entries.get(at(entry) + TOS) & BYTE_MOST;
  }

  /** Returns the TTL or hop limit of a received packet, 0-255. */
  public int ttl(int entry) {
    return entries.get(at(entry) + TTL) & BYTE_MOST;
  }

  /**
   * Returns 0, or the number by which the system refused to send this entry, such as 1 (EPERM), 9
   * (EBADF: the socket is closed), {@link #FULL}, 13 (EACCES), 22 (EINVAL: there is no such
   * datagram or source), 90 (EMSGSIZE), 97 (EAFNOSUPPORT) or 101 (ENETUNREACH) on Linux. After
   * {@link UdpSocket#receiveErrors} it is the reason why a datagram did not arrive, such as 111
   * (ECONNREFUSED).
   */
  public int error(int entry) {
    return entries.getInt(at(entry) + ERROR);
  }

  /** Tells whether an error came from the network by ICMP or ICMPv6. */
  public boolean isIcmp(int entry) {
    return (flags(entry) & ICMP) != 0;
  }

  /** Returns the type of the ICMP or ICMPv6 message that was an error, 0-255. */
  public int icmpType(int entry) {
    return entries.get(at(entry) + TYPE) & BYTE_MOST;
  }

  /** Returns the code of the ICMP or ICMPv6 message that was an error, 0-255. */
  public int icmpCode(int entry) {
    return entries.get(at(entry) + CODE) & BYTE_MOST;
  }

  /** Returns the MTU in bytes that an error about a datagram's length has, else 0. */
  public int info(int entry) {
    return entries.getInt(at(entry) + INFO);
  }

  // ---- what a datagram is to be

  /**
   * Sets an entry's destination. Forgets the address of this side and all that the setters below
   * have said. The socket stays.
   *
   * @param port 0 to 65535
   */
  public void to(int entry, long addressHigh, long addressLow, int port) {
    if (port < 0 || port > PORT_MOST) {
      throw new IllegalArgumentException("port is 0-65535, not " + port);
    }
    int at = at(entry);
    other(at, addressHigh, addressLow, port);
    local(at, 0, 0);
    entries.putShort(at + FLAGS, (short) 0);
    entries.putInt(at + ERROR, 0);
    entries.putInt(at + SCOPE, 0);
  }

  /** Sets the address that an entry leaves from. Two zeros leave the choice to the system. */
  public void from(int entry, long addressHigh, long addressLow) {
    local(at(entry), addressHigh, addressLow);
  }

  /** Sets the socket by which {@link UdpSocket#sendEach} sends an entry. */
  public void via(int entry, UdpSocket socket) {
    entries.putLong(at(entry) + SOCKET, socket.handle());
    if (socket instanceof PlainSocket plain) {
      sockets[entry] = plain;
    }
  }

  /** Leaves an entry out of {@link UdpSocket#sendEach}, until {@link #via} names a socket again. */
  public void omit(int entry) {
    entries.putLong(at(entry) + SOCKET, NO_SOCKET);
    if (!UdpSocket.NATIVES) {
      sockets[entry] = null;
    }
  }

  /**
   * Sets the bytes of an entry's datagram. They must lie in the rooms.
   *
   * @throws IndexOutOfBoundsException if they do not
   */
  public void part(int entry, int start, int length) {
    int at = at(entry);
    Objects.checkFromIndexSize(start - capacity * ENTRY, length, rooms * size);
    entries.putInt(at + START, start);
    entries.putInt(at + LENGTH, length);
  }

  /**
   * Sets the TOS or traffic class with which an entry is sent.
   *
   * @param tos 0 to 255
   */
  public void setTos(int entry, int tos) {
    set(entry, SET_TOS, TOS, tos);
  }

  /**
   * Sets the TTL or hop limit with which an entry is sent.
   *
   * @param ttl 1 to 255; the system refuses 0
   */
  public void setTtl(int entry, int ttl) {
    set(entry, SET_TTL, TTL, ttl);
  }

  /**
   * Sends an entry as one packet that nobody cuts, in IPv4 with the bit DF. The system refuses it
   * with 90 (EMSGSIZE) if it is longer than the path's MTU.
   */
  public void setWhole(int entry) {
    flags(entry, WHOLE);
  }

  private void set(int entry, int flag, int place, int value) {
    if (value < 0 || value > BYTE_MOST) {
      throw new IllegalArgumentException("0-255, not " + value);
    }
    flags(entry, flag);
    entries.put(at(entry) + place, (byte) value);
  }

  // ---- for UdpSocket and UdpSelector

  /** Returns a view of the memory; its bounds may be changed. */
  ByteBuffer view() {
    return view;
  }

  /**
   * Returns an empty buffer for one datagram. It has a byte more than a room, because a channel
   * does not tell that it has cut a datagram.
   */
  ByteBuffer spare() {
    return spare.clear();
  }

  ByteBuffer memory() {
    return entries;
  }

  /**
   * Returns the position at which an entry is received without natives: its room, or behind the
   * entry before it if there are fewer rooms than entries.
   */
  int place(int entry) {
    if (rooms == capacity || entry == 0) {
      return capacity * ENTRY + entry * size;
    }
    return start(entry - 1) + length(entry - 1);
  }

  /**
   * Returns the position at which the share of a socket ends.
   *
   * @param entry the first one of the socket
   * @param sockets that share the memory from there on
   */
  int shareEnd(int entry, int sockets) {
    int at = place(entry);
    int free = (capacity * ENTRY + rooms * size - at) / size;
    return at + (free + sockets - 1) / sockets * size;
  }

  /** Tells whether an entry has a place for a datagram of the full size in front of an end. */
  boolean hasPlace(int entry, int end) {
    return entry < capacity && place(entry) + size <= end;
  }

  /** Sets an entry that was received without the natives. */
  void received(
      int entry,
      PlainSocket socket,
      int start,
      int length,
      boolean truncated,
      long high,
      long low,
      int port) {
    int at = at(entry);
    entries.putInt(at + START, start);
    entries.putInt(at + LENGTH, length);
    other(at, high, low, port);
    local(at, 0, 0);
    entries.putLong(at + KEY, socket.key());
    entries.putLong(at + SOCKET, socket.handle());
    entries.putShort(at + FLAGS, (short) (truncated ? TRUNCATED : 0));
    entries.putInt(at + ERROR, 0);
    sockets[entry] = socket;
  }

  /** Returns the socket of an entry where there are no natives, or null. */
  PlainSocket socket(int entry) {
    return sockets[entry];
  }

  void error(int entry, int number) {
    entries.putInt(at(entry) + ERROR, number);
  }

  private void other(int at, long high, long low, int port) {
    bytes.putLong(at + ADDRESS, high);
    bytes.putLong(at + ADDRESS + Long.BYTES, low);
    entries.putShort(at + PORT, (short) port);
  }

  private void local(int at, long high, long low) {
    bytes.putLong(at + LOCAL, high);
    bytes.putLong(at + LOCAL + Long.BYTES, low);
  }

  private int flags(int entry) {
    return entries.getShort(at(entry) + FLAGS);
  }

  private void flags(int entry, int flag) {
    entries.putShort(at(entry) + FLAGS, (short) (flags(entry) | flag));
  }

  private int at(int entry) {
    return Objects.checkIndex(entry, capacity) * ENTRY;
  }
}
