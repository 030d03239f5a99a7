// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.AllocationTable;
import org.netserv.mediarelay.core.TurnServer;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/**
 * Receives a batch of datagrams of all sockets, decides about each, and sends the ones that go on,
 * as one batch. The lock of the relay is held from the batch's arrival to its departure.
 *
 * <pre>
 *   UdpSelector.receive -> entry: client's or peer's? -> DataPath or TurnServer
 *     -> UdpSocket.sendEach: all that go on, each socket's together -> errors, counted
 * </pre>
 */
final class PacketThread implements Runnable {
  /**
   * The bit of a selector's key that stands for a port of clients. The other bits are its place.
   */
  static final long SERVER_KEY = 1L << 32;

  private static final long MILLIS_MOST = 1000;
  private static final int CHANNEL_BITS = 0xc0;
  private static final int CHANNEL = 0x40;
  private static final int DTLS_FIRST = 20;
  private static final int DTLS_LAST = 63;
  private static final int NOT_PERMITTED = 1; // EPERM: the node's rules
  private static final int NO_ACCESS = 13; // EACCES
  private static final int TOO_LONG = 90; // EMSGSIZE

  private final UdpSelector selector;
  private final DatagramBatch batch;
  private final ServerPort[] servers;
  private final PeerSockets peers;
  private final TurnServer turn;
  private final AllocationTable table;
  private final DataPath path;
  private final PeerErrors errors;
  private final Timers timers;
  private final ReentrantLock lock;
  private final LongSupplier nanoTime;
  private final Tally<Why> tally;
  private Sessions sessions = (server, of, entry) -> false;
  private volatile boolean ends;
  private volatile IOException failure;

  PacketThread(
      UdpSelector selector,
      DatagramBatch batch,
      ServerPort[] servers,
      PeerSockets peers,
      TurnServer turn,
      AllocationTable table,
      DataPath path,
      PeerErrors errors,
      Timers timers,
      ReentrantLock lock,
      LongSupplier nanoTime,
      Tally<Why> tally) {
    this.selector = selector;
    this.batch = batch;
    this.servers = servers.clone();
    this.peers = peers;
    this.turn = turn;
    this.table = table;
    this.path = path;
    this.errors = errors;
    this.timers = timers;
    this.lock = lock;
    this.nanoTime = nanoTime;
    this.tally = tally;
  }

  /** Takes datagrams of DTLS, whose first byte is 20 to 63 (RFC 7983). */
  interface Sessions {
    /** Takes a datagram. Returns false if it is not for any session. */
    boolean received(ServerPort server, DatagramBatch of, int entry);
  }

  void sessions(Sessions with) {
    sessions = with;
  }

  /** Lets {@link #run} return soon. From any thread. */
  void end() {
    ends = true;
    selector.wakeup();
  }

  /** Returns why the thread has ended by itself, null = it has not. */
  IOException failure() {
    return failure;
  }

  @Override
  public void run() {
    try {
      while (!ends) {
        round();
      }
    } catch (ClosedSelectorException e) {
      ends = true;
    } catch (IOException e) {
      failure = e;
    }
  }

  /** Waits for one batch, and relays it. */
  void round() throws IOException {
    int count = selector.receive(batch, millisLeft());
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      relay(count, now);
      for (int i = 0; i < selector.events(); i++) {
        event(i, now);
      }
      turn.tick(now);
      timers.run(now);
    } finally {
      lock.unlock();
    }
  }

  private int millisLeft() {
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      long nanos = Math.min(turn.nanosLeft(now), timers.nanosLeft(now));
      return (int) Math.min(MILLIS_MOST, TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    } finally {
      lock.unlock();
    }
  }

  /** Decides about each entry, and then sends all that go on, each socket's by one call. */
  void relay(int count, long now) throws IOException {
    int sent = 0;
    for (int i = 0; i < count; i++) {
      if (entry(i, now)) {
        sent++;
      } else {
        batch.omit(i);
      }
    }
    if (sent > 0 && UdpSocket.sendEach(batch, 0, count) < sent) {
      countRefused(count);
    }
  }

  private void countRefused(int count) {
    for (int i = 0; i < count; i++) {
      if (batch.error(i) != 0) {
        tally.count(why(batch.error(i)));
      }
    }
  }

  static Why why(int error) {
    return switch (error) {
      case DatagramBatch.FULL -> Why.SOCKET_FULL;
      case NOT_PERMITTED, NO_ACCESS -> Why.NODE_REFUSED;
      case TOO_LONG -> Why.NOT_FRAGMENTED;
      default -> Why.UNREACHABLE;
    };
  }

  /** Handles a datagram. Returns true if its entry is to be sent. */
  private boolean entry(int i, long now) {
    if (batch.isTruncated(i)) {
      tally.count(Why.TOO_LONG);
      return false;
    }
    long key = batch.key(i);
    if ((key & SERVER_KEY) != 0) {
      return fromClient(servers[(int) key], i, now);
    }
    PeerSocket socket = peers.of(key);
    if (socket == null) {
      tally.count(Why.PEER_NO_PERMISSION); // its allocation ended within this batch
      return false;
    }
    path.entry(batch, i, floor(i));
    return path.fromPeer(socket, batch.start(i), batch.length(i), now);
  }

  /** Returns the first byte in front of an entry's data that no other entry needs. */
  private int floor(int i) {
    return i == 0 ? batch.room(0) : batch.room(i - 1) + batch.size() - spare(i - 1);
  }

  private int spare(int i) {
    int used = batch.start(i) + batch.length(i) - batch.room(i);
    return Math.max(0, batch.size() - Math.max(0, used) - Indication.HEADROOM);
  }

  private boolean fromClient(ServerPort server, int i, long now) {
    ByteBuffer bytes = batch.bytes();
    int start = batch.start(i);
    int length = batch.length(i);
    int first = length == 0 ? -1 : bytes.get(start) & 0xff;
    if (first >= DTLS_FIRST && first <= DTLS_LAST) {
      if (!sessions.received(server, batch, i)) {
        tally.count(Why.NOT_STUN);
      }
      return false;
    }
    boolean channel = (first & CHANNEL_BITS) == CHANNEL;
    if (channel || DataPath.isSend(bytes, start, length)) {
      path.entry(batch, i, floor(i));
      Allocation of = find(server, i);
      return channel ? path.channelData(of, start, length, now) : path.send(of, start, length, now);
    }
    if (first < 0 || first >= DTLS_FIRST) {
      tally.count(Why.NOT_STUN);
      return false;
    }
    turn.received(
        server.client(batch.addressHigh(i), batch.addressLow(i), batch.port(i)),
        bytes,
        start,
        length,
        now);
    return false;
  }

  private Allocation find(ServerPort server, int i) {
    return table.find(batch.addressHigh(i), batch.addressLow(i), batch.port(i), server.port());
  }

  private void event(int i, long now) throws IOException {
    long key = selector.eventKey(i);
    if (!selector.hasErrors(i)) {
      return;
    }
    if ((key & SERVER_KEY) != 0) {
      errors.ignore(servers[(int) key].socket());
    } else if (peers.of(key) != null) {
      errors.tell(peers.of(key), now);
    }
  }
}
