// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * Sends datagrams to allowed and to denied addresses. Every 10 ms it sends one to each of two
 * addresses that its publisher may not reach: a port of a host, and the node itself. Every tenth
 * time it also sends one to another port of the host, which it may reach. Each datagram is a flow
 * of its own, and the publisher's limit of connections counts flows.
 */
public final class Prober implements BundleActivator {
  private static final int PERIOD_MS = 10;
  private static final int ALLOWED_EVERY = 10;
  private static final SocketAddress ALLOWED = new InetSocketAddress("192.0.2.10", 7001);
  private static final List<SocketAddress> DENIED =
      List.of(
          new InetSocketAddress("192.0.2.10", 7002),
          new InetSocketAddress("192.0.2.1", 7002));

  private volatile boolean over;

  @Override
  public void start(BundleContext context) {
    Thread thread = new Thread(this::probe, "prober");
    thread.setDaemon(true);
    thread.start();
  }

  private void probe() {
    for (int turn = 0; !over; turn++) {
      DENIED.forEach(Prober::send);
      if (turn % ALLOWED_EVERY == 0) {
        send(ALLOWED);
      }
      try {
        Thread.sleep(PERIOD_MS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Sends a datagram with a socket of its own, because a denied one may leave an error behind. */
  private static void send(SocketAddress target) {
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.send(ByteBuffer.allocate(Long.BYTES), target);
    } catch (IOException e) {
      // The node should deny the datagram.
      return;
    }
  }

  @Override
  public void stop(BundleContext context) {
    over = true;
  }
}
