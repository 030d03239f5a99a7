// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * A stream of TCP with 1,000 bytes each millisecond. {@code send PORT} sends to each client, and
 * {@code read HOST PORT} is one. Its input has two orders. {@code begin} answers at once. {@code
 * gap MILLIS}, at least as long after that, prints {@code first}, the milliseconds from {@code
 * begin} to the next data, and {@code gap}, the longest time without data that began within MILLIS.
 */
public final class PacedStream {
  private static final long PACE = 1_000_000; // nanoseconds
  private static final int BYTES = 1000;
  private static final int KEPT = 1 << 20; // arrivals, 17 minutes of them
  private static final double MILLION = 1e6;

  private final long[] arrivals = new long[KEPT];
  private int count; // never falls; an arrival is at count % KEPT

  private PacedStream() {}

  public static void main(String[] args) throws IOException {
    if (args[0].equals("send")) {
      serve(Integer.parseInt(args[1]));
    } else {
      new PacedStream().read(new InetSocketAddress(args[1], Integer.parseInt(args[2])));
    }
  }

  private static void serve(int port) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(port));
      System.out.println("ready");
      while (true) {
        SocketChannel client = listener.accept();
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        new Thread(() -> send(client), "send").start();
      }
    }
  }

  private static void send(SocketChannel client) {
    ByteBuffer message = ByteBuffer.allocate(BYTES);
    long next = System.nanoTime();
    try (client) {
      while (true) {
        message.clear();
        while (message.hasRemaining()) {
          client.write(message);
        }
        next = Math.max(next + PACE, System.nanoTime() - PACE); // a stall is not made up for
        LockSupport.parkNanos(next - System.nanoTime());
      }
    } catch (IOException e) {
      System.out.println("a client has gone: " + e.getMessage());
    }
  }

  private void read(InetSocketAddress server) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (SocketChannel channel = SocketChannel.open(server)) {
      Thread reader = new Thread(() -> take(channel), "read");
      reader.setDaemon(true);
      reader.start();
      long begun = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("begin")) {
          begun = System.nanoTime();
          System.out.println("begun=1");
        } else {
          System.out.println(gap(begun, Long.parseLong(line.split(" ", -1)[1])));
        }
      }
    }
  }

  private void take(SocketChannel channel) {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
    try {
      while (channel.read(bytes.clear()) > 0) {
        synchronized (this) {
          arrivals[count++ % KEPT] = System.nanoTime();
        }
      }
      System.err.println("the server has closed");
    } catch (IOException e) {
      System.err.println(e.getMessage());
    }
  }

  private synchronized String gap(long begun, long millis) throws IOException {
    long until = begun + millis * (long) MILLION;
    int at = count;
    while (at > 0 && arrivals[(at - 1) % KEPT] - begun > 0) {
      at--;
    }
    if (at == 0 || at == count) {
      throw new IOException((count - at) + " data after, " + at + " before the order begin");
    }
    double first = (arrivals[at % KEPT] - begun) / MILLION;
    long longest = 0;
    for (int i = at; i < count && arrivals[(i - 1) % KEPT] - until < 0; i++) {
      longest = Math.max(longest, arrivals[i % KEPT] - arrivals[(i - 1) % KEPT]);
    }
    return String.format(Locale.ROOT, "first=%.3f gap=%.3f", first, longest / MILLION);
  }
}
