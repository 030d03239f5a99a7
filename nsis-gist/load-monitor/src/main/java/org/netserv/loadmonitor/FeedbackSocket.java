// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;

/** The monitor's one socket to all edges. It never blocks, and counts the datagrams it loses. */
final class FeedbackSocket implements LoadMonitor.Sender, Closeable {
  private static final int BUFFER = 256;

  private final Selector selector = Selector.open();
  private final DatagramChannel channel = DatagramChannel.open();
  private final List<InetSocketAddress> edges;
  private final byte[] bytes = new byte[BUFFER];
  private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
  private long unsent;
  private long strange;

  /** A receiver of datagrams, by the place of their sender in the list of edges. */
  @FunctionalInterface
  interface Receiver {
    void take(int edge, byte[] datagram, int length);
  }

  FeedbackSocket(List<InetSocketAddress> edges) throws IOException {
    this.edges = List.copyOf(edges);
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
  }

  /**
   * Reads {@code ADDRESS:PORT}, with brackets around IPv6.
   *
   * @throws IOException if it is none
   */
  static InetSocketAddress address(String text) throws IOException {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IOException("edges.feedback: not ADDRESS:PORT: " + text);
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    if (port < 1 || port > 65_535 || !text.substring(0, colon).matches("[0-9A-Fa-f.:\\[\\]]+")) {
      throw new IOException("edges.feedback: not ADDRESS:PORT: " + text);
    }
    return new InetSocketAddress(InetAddress.getByName(text.substring(0, colon)), port);
  }

  @Override
  public void send(int edge, byte[] datagram) {
    try {
      unsent += channel.send(ByteBuffer.wrap(datagram), edges.get(edge)) == 0 ? 1 : 0;
    } catch (IOException e) {
      unsent++; // no route now: the next message tries again
    }
  }

  /** Waits for datagrams or {@link #wakeup}, at most so many milliseconds, and hands them over. */
  void await(long millis, Receiver receiver) throws IOException {
    selector.select(Math.max(1, millis));
    selector.selectedKeys().clear();
    for (SocketAddress from = receive(); from != null; from = receive()) {
      int edge = edges.indexOf(from);
      if (edge < 0) {
        strange++;
      } else {
        receiver.take(edge, bytes, buffer.position());
      }
    }
  }

  private SocketAddress receive() {
    buffer.clear();
    try {
      return channel.receive(buffer);
    } catch (IOException e) {
      return null; // an ICMP error of an earlier datagram
    }
  }

  void wakeup() {
    selector.wakeup();
  }

  /** Returns the datagrams that could not be sent, ever. */
  long unsent() {
    return unsent;
  }

  /** Returns the datagrams that came from elsewhere, ever. */
  long strange() {
    return strange;
  }

  @Override
  public void close() throws IOException {
    channel.close();
    selector.close();
  }
}
