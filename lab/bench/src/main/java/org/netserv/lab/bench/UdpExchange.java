// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A bare exchange of three datagrams between two processes: request, reply and confirm. The
 * datagrams have the sizes of Query, Response and Confirm, and no process does anything with them.
 * The exchange is the yardstick for the handshakes of the same run.
 *
 * <pre>
 *   UdpExchange serve PORT                   prints ready; runs until it is ended
 *   UdpExchange ask FROM ADDRESS PORT        standard input: SECONDS WINDOW; an answer for each
 * </pre>
 */
public final class UdpExchange {
  private static final int BUFFER = 4 << 20;
  private static final int REQUEST = 108;
  private static final int REPLY = 144;
  private static final int CONFIRM = 124;
  private static final int SILENCE_MS = 20;
  private static final int BATCH = 64;

  /** First byte of a request. */
  private static final byte KIND_REQUEST = 1;

  private static final byte KIND_CONFIRM = 3;

  private final DatagramChannel channel;
  private final Selector selector;
  private final ByteBuffer in = ByteBuffer.allocateDirect(2048);
  private final ByteBuffer out = ByteBuffer.allocateDirect(2048);

  private UdpExchange(InetSocketAddress at) throws IOException {
    channel = DatagramChannel.open(StandardProtocolFamily.INET);
    channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
    channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER);
    channel.bind(at).configureBlocking(false);
    selector = Selector.open();
    channel.register(selector, SelectionKey.OP_READ);
  }

  public static void main(String[] args) throws IOException {
    if (args[0].equals("serve")) {
      UdpExchange server = new UdpExchange(new InetSocketAddress(Integer.parseInt(args[1])));
      System.out.println("ready");
      server.serve();
      return;
    }
    UdpExchange client = new UdpExchange(new InetSocketAddress(InetAddress.getByName(args[1]), 0));
    InetSocketAddress to =
        new InetSocketAddress(InetAddress.getByName(args[2]), Integer.parseInt(args[3]));
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      String[] order = line.split(" ", -1);
      System.out.println(client.ask(to, Integer.parseInt(order[0]), Integer.parseInt(order[1])));
    }
  }

  private SocketAddress receive() throws IOException {
    in.clear();
    SocketAddress from = channel.receive(in);
    in.flip();
    return from;
  }

  private boolean send(byte kind, int length, SocketAddress to) throws IOException {
    out.clear().limit(length).put(0, kind);
    return channel.send(out, to) > 0;
  }

  private void await(int millis) throws IOException {
    selector.select(millis);
    selector.selectedKeys().clear();
  }

  private void serve() throws IOException {
    while (true) {
      SocketAddress from = receive();
      while (from != null) {
        if (in.get(0) == KIND_REQUEST) {
          send((byte) 2, REPLY, from);
        }
        from = receive();
      }
      await(1000);
    }
  }

  /**
   * Keeps {@code window} exchanges under way. After a silence it starts the unanswered ones again,
   * because a full buffer dropped them.
   */
  private String ask(InetSocketAddress to, int seconds, int window) throws IOException {
    long begin = System.nanoTime();
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    long done = 0;
    long again = 0;
    int outstanding = 0;
    while (System.nanoTime() < end) {
      int received = 0;
      for (; received < BATCH && receive() != null; received++) {
        if (outstanding > 0) {
          outstanding--;
        }
        done += send(KIND_CONFIRM, CONFIRM, to) ? 1 : 0;
      }
      while (outstanding < window && send(KIND_REQUEST, REQUEST, to)) {
        outstanding++;
      }
      if (received == 0) {
        long waited = System.nanoTime();
        await(SILENCE_MS);
        if (System.nanoTime() - waited >= TimeUnit.MILLISECONDS.toNanos(SILENCE_MS)) {
          again += outstanding;
          outstanding = 0;
        }
      }
    }
    long micros = (System.nanoTime() - begin) / 1000;
    return "new=" + done + " micros=" + micros + " again=" + again;
  }
}
