// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The time of TCP's connect. For each line {@code connect N HOST PORT} it makes N connections, one
 * after the other, and prints the median of their times in microseconds. They stay open until the
 * last one is made, so that no end of a connection is a part of the times. With {@code serve PORT}
 * as its arguments it is the server.
 */
public final class ConnectTimes {
  private static final int BACKLOG = 1024;
  private static final double MICRO = 1e3;

  private ConnectTimes() {}

  public static void main(String[] args) throws IOException {
    if (args.length == 2) {
      serve(Integer.parseInt(args[1]));
      return;
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      InetSocketAddress to = new InetSocketAddress(words[2], Integer.parseInt(words[3]));
      System.out.println("median=" + median(Integer.parseInt(words[1]), to));
    }
  }

  private static double median(int count, InetSocketAddress to) throws IOException {
    List<SocketChannel> open = new ArrayList<>();
    long[] nanos = new long[count];
    try {
      for (int i = 0; i < count; i++) {
        SocketChannel channel = SocketChannel.open();
        open.add(channel);
        channel.setOption(StandardSocketOptions.SO_LINGER, 0); // its end leaves no TIME_WAIT
        long begun = System.nanoTime();
        channel.connect(to);
        nanos[i] = System.nanoTime() - begun;
      }
    } finally {
      for (SocketChannel channel : open) {
        channel.close();
      }
    }
    Arrays.sort(nanos);
    return nanos[count / 2] / MICRO;
  }

  /** Accepts connections, and keeps the last ones, so that the client closes first. */
  private static void serve(int port) throws IOException {
    SocketChannel[] kept = new SocketChannel[BACKLOG];
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(port), BACKLOG);
      System.out.println("ready");
      for (int i = 0; ; i = (i + 1) % kept.length) {
        SocketChannel channel = listener.accept();
        if (kept[i] != null) {
          kept[i].close();
        }
        kept[i] = channel;
      }
    }
  }
}
