// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.netserv.serval.Endpoint;

/** The socket of an endpoint, and during a move those that it leaves. */
final class LocalAddresses implements Wire {
  static final int MOST = 8;

  /**
   * Milliseconds for which an address stays open when it is not needed any more. Until the peer has
   * got the mover's confirmation, its datagrams still come there.
   */
  static final long LINGER = 10_000;

  private final Selector selector;
  private final Deque<LocalAddress> locals = new ArrayDeque<>(); // the newest first

  LocalAddresses(Selector selector) {
    this.selector = selector;
  }

  /** Opens another address, or takes the one that is open. Returns it with its port. */
  Endpoint open(InetSocketAddress local) throws IOException {
    requireAddress(local);
    LocalAddress known = of(Addresses.endpoint(local));
    if (known == null) {
      known = LocalAddress.open(local, null, selector);
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
    locals.addFirst(LocalAddress.open(local, Addresses.endpoint(known), selector));
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
  public boolean send(ByteBuffer packet, Endpoint from, Endpoint to) {
    LocalAddress local = of(from);
    return (local == null ? locals.getFirst() : local).send(packet, to);
  }

  void close() {
    locals.forEach(LocalAddress::close);
    try {
      selector.close();
    } catch (IOException e) {
      locals.clear(); // closed all the same
    }
  }
}
