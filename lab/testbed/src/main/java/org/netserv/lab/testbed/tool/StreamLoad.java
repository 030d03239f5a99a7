// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.FlowEnd;
import org.netserv.serval.endpoint.ServalEndpoint;
import org.netserv.serval.endpoint.ServalSocket;
import org.netserv.serval.endpoint.ServalStream;
import org.netserv.serval.endpoint.ServiceHandler;
import org.netserv.serval.endpoint.StreamHandler;

/**
 * One end of a stream that carries as many bytes as it can, by Serval or by TCP:
 *
 * <pre>
 *   serval|tcp receive ADDRESS:PORT
 *   serval|tcp send    ADDRESS:PORT ADDRESS:PORT     own address, and that of the receiver
 * </pre>
 *
 * For each line it prints the bytes, the time and its processor time in microseconds until then. A
 * sender sends from the line {@code on} to the line {@code off}.
 */
public final class StreamLoad {
  private static final ServiceId SERVICE = ServiceId.parse("00004003");
  private static final int CHUNK = 1 << 16;
  private static final long NAP = 1_000_000; // nanoseconds

  private final AtomicLong bytes = new AtomicLong();
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
  private volatile boolean on;

  private StreamLoad() {}

  public static void main(String[] args) throws IOException {
    StreamLoad load = new StreamLoad();
    boolean sends = args[1].equals("send");
    InetSocketAddress own = address(args[2]);
    if (args[0].equals("tcp")) {
      start(() -> load.tcp(own, sends ? address(args[3]) : null));
      load.answer(null);
      return;
    }
    EndpointSettings settings =
        sends
            ? EndpointSettings.DEFAULT.with(ServalSource.router(args[3]))
            : EndpointSettings.DEFAULT;
    try (ServalSocket socket = ServalSocket.open(own, settings)) {
      socket.call(sends ? load::connect : load::bind).join();
      load.answer(socket);
    }
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    return new InetSocketAddress(
        text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  private void answer(ServalSocket socket) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      on = line.equals("on");
      if (socket != null) {
        socket.call(unused -> stream == null ? 0 : fill(stream)).join();
      }
      System.out.printf(
          Locale.ROOT,
          "bytes=%d nanos=%d cpu=%.0f%n",
          bytes.get(),
          System.nanoTime(),
          CpuTime.micros(ProcessHandle.current().pid()));
    }
  }

  // ---- Serval

  private ServalStream stream; // on the thread of the socket

  private Object bind(ServalEndpoint endpoint) {
    return endpoint.bindLocally(
        ServicePrefix.of(SERVICE), ServiceHandler.ofStreams(accepted -> this::drain));
  }

  private Object connect(ServalEndpoint endpoint) {
    return endpoint.connectStream(
        SERVICE,
        new StreamHandler() {
          @Override
          public void connected(ServalStream opened) {
            stream = opened;
            fill(opened);
          }

          @Override
          public void readable(ServalStream opened) {}

          @Override
          public void writable(ServalStream opened) {
            fill(opened);
          }

          @Override
          public void closed(ServalStream opened, FlowEnd end) {
            throw new IllegalStateException("the stream has ended: " + end);
          }
        });
  }

  private int fill(ServalStream opened) {
    int count = CHUNK;
    while (on && count == CHUNK) {
      count = opened.write(chunk.clear());
      bytes.addAndGet(count);
    }
    return count;
  }

  private void drain(ServalStream opened) {
    int count = opened.read(chunk.clear());
    while (count > 0) {
      bytes.addAndGet(count);
      count = opened.read(chunk.clear());
    }
  }

  // ---- TCP

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "tcp");
    thread.setDaemon(true);
    thread.start();
  }

  private void tcp(InetSocketAddress own, InetSocketAddress peer) {
    try {
      if (peer == null) {
        receive(own);
      } else {
        send(own, peer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void send(InetSocketAddress own, InetSocketAddress peer) throws IOException {
    try (SocketChannel channel = SocketChannel.open()) {
      channel.bind(own);
      channel.connect(peer);
      while (true) {
        if (on) {
          bytes.addAndGet(channel.write(chunk.clear()));
        } else {
          LockSupport.parkNanos(NAP);
        }
      }
    }
  }

  private void receive(InetSocketAddress own) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(own);
      try (SocketChannel channel = server.accept()) {
        int count = channel.read(chunk.clear());
        while (count >= 0) {
          bytes.addAndGet(count);
          count = channel.read(chunk.clear());
        }
      }
    }
  }
}
