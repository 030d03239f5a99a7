// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.netserv.io.UdpSelector;
import org.netserv.serval.Endpoint;

/** The socket of an endpoint, and during a move those that it leaves. */
final class LocalAddresses implements Wire {
  static final int MOST = 8;

  /**
   * Milliseconds for which an address stays open when it is not needed any more. Until the peer has
   * got the mover's confirmation, its datagrams still come there.
   */
  static final long LINGER = 10_000;

  private final UdpSelector selector;
  private final SendQueue queue;
  private final Deque<LocalAddress> locals = new ArrayDeque<>(); // the newest first
  private long keys;

  LocalAddresses(UdpSelector selector) {
    this.selector = selector;
    queue = new SendQueue(selector);
  }

  /** Opens another address, or takes the one that is open. Returns it with its port. */
  Endpoint open(InetSocketAddress local) throws IOException {
    requireAddress(local);
    LocalAddress known = of(Addresses.endpoint(local));
    if (known == null) {
      known = LocalAddress.open(local, null, selector, keys++);
    }
    locals.remove(known);
    locals.addFirst(known);
    while (locals.size() > MOST) {
      locals.removeLast().close();
    }
    return known.address();
  }

  /** Opens the first address, which others know by another one. */
  void open(InetSocketAddress local, InetSocketAddress known) throws IOException {
    requireAddress(known);
    locals.addFirst(LocalAddress.open(local, Addresses.endpoint(known), selector, keys++));
  }

  private static void requireAddress(InetSocketAddress address) {
    if (address.isUnresolved() || address.getAddress().isAnyLocalAddress()) {
      throw new IllegalArgumentException("not an address of this host: " + address);
    }
  }

  private LocalAddress of(Endpoint address) {
    for (LocalAddress local : locals) {
      if (local.address().equals(address)) {
        return local;
      }
    }
    return null;
  }

  /** Returns the address of a key, null if its socket is closed. */
  Endpoint of(long key) {
    for (LocalAddress local : locals) {
      if (local.key() == key) {
        return local.address();
      }
    }
    return null;
  }

  Endpoint newest() {
    return locals.getFirst().address();
  }

  List<LocalAddress> all() {
    return List.copyOf(locals);
  }

  /** Closes the addresses that were not needed for a while, but the newest. */
  void retain(Predicate<Endpoint> needed, long now) {
    if (locals.size() == 1) {
      locals.getFirst().needed(now);
      return;
    }
    for (LocalAddress local : all()) {
      if (local == locals.getFirst() || needed.test(local.address())) {
        local.needed(now);
      } else if (now - local.neededAt() >= LINGER) {
        locals.remove(local);
        local.close();
      }
    }
  }

  @Override
  public ByteBuffer room(int most) {
    return queue.room(most);
  }

  /** Queues a packet. It leaves with the next {@link #flush}, or before. */
  @Override
  public boolean send(ByteBuffer packet, Endpoint from, Endpoint to) {
    LocalAddress local = of(from);
    return queue.add(packet, local == null ? locals.getFirst() : local, to);
  }

  /** Sends the packets that wait. Returns how many the system has refused. */
  int flush() {
    queue.flush();
    return queue.takeRefused();
  }

  void close() {
    queue.flush();
    locals.forEach(LocalAddress::close);
    try {
      selector.close();
    } catch (IOException e) {
      locals.clear(); // closed all the same
    }
  }
}
