// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import org.netserv.serval.Endpoint;

/** A service router on a plain UDP socket, with a thread of its own. */
final class RouterSocket implements Closeable {
  private final DatagramChannel channel;
  private final Endpoint address;
  private final TestRouter router;
  private final Thread thread = new Thread(this::run, "router");

  private RouterSocket(DatagramChannel channel) throws IOException {
    this.channel = channel;
    address = Addresses.endpoint((InetSocketAddress) channel.getLocalAddress());
    router = new TestRouter(this::send, address, false, () -> System.nanoTime() / 1_000_000);
  }

  static RouterSocket open(InetSocketAddress local) throws IOException {
    RouterSocket made = new RouterSocket(DatagramChannel.open().bind(local));
    made.thread.start();
    return made;
  }

  Endpoint address() {
    return address;
  }

  private boolean send(ByteBuffer packet, Endpoint from, Endpoint to) {
    try {
      return channel.send(packet, Addresses.socketAddress(to)) > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private void run() {
    ByteBuffer bytes = ByteBuffer.allocate(2048);
    try {
      while (true) {
        InetSocketAddress from = (InetSocketAddress) channel.receive(bytes.clear());
        synchronized (router) {
          router.take(bytes.flip(), Addresses.endpoint(from), address);
          router.notifyAll();
        }
      }
    } catch (ClosedChannelException e) {
      return;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until the router has so many rules. */
  void awaitRules(int count) throws InterruptedException {
    synchronized (router) {
      while (router.table.size() != count) {
        router.wait(30_000);
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
