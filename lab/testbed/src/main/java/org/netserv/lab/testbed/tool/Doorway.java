// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Passes connections on: {@code Doorway SOCKET PORT} listens at a UNIX socket, and connects each
 * connection to a port of the loopback. A UNIX socket leads into another network namespace, so two
 * doorways lead from a port of this machine to a port of a node.
 */
public final class Doorway implements AutoCloseable {
  private static final int PIECE = 1 << 13;

  private final ServerSocketChannel door;
  private final SocketAddress to;

  private Doorway(ServerSocketChannel door, SocketAddress to) {
    this.door = door;
    this.to = to;
  }

  public static void main(String[] args) throws IOException {
    ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    door.bind(UnixDomainSocketAddress.of(args[0]));
    new Doorway(door, loopback(Integer.parseInt(args[1]))).serve();
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Opens any port of the loopback that leads to a UNIX socket. */
  public static Doorway to(UnixDomainSocketAddress socket) throws IOException {
    Doorway doorway = new Doorway(ServerSocketChannel.open().bind(loopback(0)), socket);
    start(doorway::serve);
    return doorway;
  }

  /** Returns its port of the loopback. */
  public int port() throws IOException {
    return ((InetSocketAddress) door.getLocalAddress()).getPort();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "doorway");
    thread.setDaemon(true);
    thread.start();
  }

  private void serve() {
    while (door.isOpen()) {
      pass();
    }
  }

  private void pass() {
    try {
      join(door.accept());
    } catch (IOException e) {
      return; // the door was closed, or nobody is behind it
    }
  }

  @SuppressWarnings("resource") // each is closed by the thread that finds the end of one
  private void join(SocketChannel outside) throws IOException {
    SocketChannel inside;
    try {
      inside =
          to instanceof UnixDomainSocketAddress
              ? SocketChannel.open(StandardProtocolFamily.UNIX)
              : SocketChannel.open();
      inside.connect(to);
    } catch (IOException e) {
      outside.close();
      throw e;
    }
    start(() -> pass(outside, inside));
    start(() -> pass(inside, outside));
  }

  /** Passes bytes on until one end is closed, and closes both. */
  private static void pass(SocketChannel from, SocketChannel into) {
    ByteBuffer piece = ByteBuffer.allocate(PIECE);
    try (from;
        into) {
      while (from.read(piece) >= 0) {
        piece.flip();
        while (piece.hasRemaining()) {
          into.write(piece);
        }
        piece.clear();
      }
    } catch (IOException e) {
      return; // the other thread has closed them
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}
