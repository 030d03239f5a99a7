// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * UDP sockets that send bytes as they are. It reads orders, and answers each by one line:
 *
 * <pre>
 *   send FROM TO HEX...      sends these datagrams                  sent
 *   take FROM COUNT MILLIS   waits for so many, or until it is late   HEX...
 * </pre>
 *
 * FROM and TO are ADDRESS:PORT. A socket is there from the first order that names it.
 */
public final class StrangerSockets {
  private static final int ROOM = 2048;

  /** Datagrams that go without a rest, so that they do not overrun the socket of a host. */
  private static final int AT_ONCE = 50;

  private static final int REST_MILLIS = 10;

  private final Map<String, DatagramSocket> sockets = new HashMap<>();
  private final Map<String, BlockingQueue<String>> come = new HashMap<>();

  private StrangerSockets() {}

  public static void main(String[] args) throws IOException {
    StrangerSockets stranger = new StrangerSockets();
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      System.out.println(stranger.answer(line.split(" ", -1)));
    }
  }

  private String answer(String... words) throws IOException {
    open(words[1]);
    if (words[0].equals("take")) {
      return take(come.get(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
    }
    InetSocketAddress to = address(words[2]);
    for (int i = 3; i < words.length; i++) {
      byte[] bytes = HexFormat.of().parseHex(words[i]);
      sockets.get(words[1]).send(new DatagramPacket(bytes, bytes.length, to));
      if (i % AT_ONCE == 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REST_MILLIS));
      }
    }
    return "sent";
  }

  private void open(String from) throws IOException {
    if (sockets.containsKey(from)) {
      return;
    }
    DatagramSocket socket = new DatagramSocket(address(from));
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    sockets.put(from, socket);
    come.put(from, queue);
    Thread reader = new Thread(() -> read(socket, queue), "reader");
    reader.setDaemon(true);
    reader.start();
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    int port = Integer.parseInt(text.substring(colon + 1));
    return new InetSocketAddress(text.substring(0, colon), port);
  }

  /** Keeps all that comes, so that a flood of answers does not overrun the socket. */
  private static void read(DatagramSocket socket, BlockingQueue<String> queue) {
    byte[] bytes = new byte[ROOM];
    try {
      while (true) {
        DatagramPacket datagram = new DatagramPacket(bytes, ROOM);
        socket.receive(datagram);
        queue.add(HexFormat.of().formatHex(bytes, 0, datagram.getLength()));
      }
    } catch (IOException e) {
      System.err.println("the socket of " + socket.getLocalPort() + " has ended: " + e);
    }
  }

  private static String take(BlockingQueue<String> queue, int count, int millis) {
    StringBuilder all = new StringBuilder();
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      for (int i = 0; i < count; i++) {
        String one = queue.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (one == null) {
          break;
        }
        all.append(i == 0 ? "" : " ").append(one);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return all.toString();
  }
}
