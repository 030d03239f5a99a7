// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The way to a collector. An unreachable one costs its datagrams, which are counted, and nothing
 * else. Belongs to one thread, except {@link #failed}.
 */
final class Outlet {
  /** Sends one datagram, or throws the reason. */
  interface Link {
    void send(ByteBuffer datagram) throws IOException;
  }

  private final Link link;
  private volatile long failed;

  Outlet(Link link) {
    this.link = link;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the sending thread
  void send(List<byte[]> datagrams) {
    for (byte[] datagram : datagrams) {
      try {
        link.send(ByteBuffer.wrap(datagram));
      } catch (IOException | RuntimeException e) { // a refusal by the sandbox is the latter
        failed++;
      }
    }
  }

  /** Returns the number of datagrams that could not be sent. */
  long failed() {
    return failed;
  }
}
