// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.netserv.serval.Endpoint;

/**
 * Packets that leave together. Neighbours of one length toward one receiver become one packet that
 * the kernel cuts, where the block {@code io} has natives. Packets that a full socket does not take
 * stay, and leave when the socket has room. Nothing is allocated for a packet.
 *
 * <pre>
 *    0          first              count
 *    | has left  | waits           | free
 * </pre>
 */
final class SendQueue {
  /** Packets that wait, at most. */
  static final int MOST = 192;

  private static final int ROOMS = 5;

  private final UdpSelector selector;
  private final DatagramBatch batch = new DatagramBatch(MOST, ROOMS, DatagramBatch.SIZE_MOST);
  private final ByteBuffer room = batch.bytes().duplicate(); // with bounds of its own
  private final LocalAddress[] senders = new LocalAddress[MOST];
  private final int end = batch.room(0) + ROOMS * DatagramBatch.SIZE_MOST;
  private int at = batch.room(0); // of the next packet's bytes
  private int first;
  private int count;
  private int refused;
  private LocalAddress full; // the selector waits for its room

  SendQueue(UdpSelector selector) {
    this.selector = selector;
  }

  /** Returns the memory of the next packet, null if there is none of this length. */
  ByteBuffer room(int most) {
    return hasRoom(most) ? room.clear().position(at).limit(end) : null;
  }

  /** Tells whether a packet has room, perhaps after the ones before it have left. */
  private boolean hasRoom(int length) {
    if (count == MOST || length > end - at) {
      flush();
    }
    return count < MOST && length <= end - at;
  }

  /** Adds a packet. False if there is no room, or the receiver has no port. */
  @SuppressWarnings("ReferenceEquality") // whether the packet is in its place, not whether equal
  boolean add(ByteBuffer packet, LocalAddress from, Endpoint to) {
    int length = packet.remaining();
    if (to.port() == 0 || !hasRoom(length)) {
      return false;
    }
    if (packet != room || packet.position() != at) {
      batch.bytes().put(at, packet, packet.position(), length);
    }
    batch.to(count, to.high(), to.low(), to.port());
    batch.part(count, at, length);
    senders[count++] = from;
    at += length;
    return true;
  }

  /** Sends all packets, as far as the sockets have room. */
  void flush() {
    while (first < count) {
      LocalAddress sender = senders[first];
      int these = 1;
      while (first + these < count && senders[first + these] == sender) {
        these++;
      }
      int done = send(sender.socket(), these);
      first += done;
      if (done < these) {
        await(sender);
        return;
      }
    }
    first = 0;
    count = 0;
    at = batch.room(0);
    await(null);
  }

  /** Returns the number of packets that have left or were refused. */
  private int send(UdpSocket socket, int these) {
    try {
      int done = socket.send(batch, first, these);
      for (int i = first; i < first + done; i++) {
        refused += batch.error(i) == 0 ? 0 : 1;
      }
      return done;
    } catch (IOException e) {
      refused += these; // the address is closed
      return these;
    }
  }

  /** Has the selector return when a socket has room, null for none. */
  private void await(LocalAddress sender) {
    if (full == sender) {
      return;
    }
    try {
      if (full != null) {
        selector.interest(full.socket(), true, false);
      }
      full = sender;
      if (sender != null) {
        selector.interest(sender.socket(), true, true);
      }
    } catch (IOException e) {
      full = null; // the address is closed, and its packets are refused by the next flush
    }
  }

  /** Returns the number of packets that were refused since the last call. */
  int takeRefused() {
    int number = refused;
    refused = 0;
    return number;
  }
}
