// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A user's host that obeys orders. It reads an order per line from standard input and prints a line
 * for each: the answer as text, or {@code -} if none came.
 *
 * <pre>
 *   udp ADDRESS PORT MILLIS TEXT   sends a datagram, waits for one from that address and port
 *   send ADDRESS PORT 0 TEXT       sends a datagram, and nothing comes back
 *   burst ADDRESS PORT MILLIS N    sends N datagrams, "#0" and so on; prints the returned numbers
 *   stun ADDRESS PORT MILLIS       sends a STUN binding request; prints "success" or "other"
 *   tcp ADDRESS PORT MILLIS        makes a connection; prints "connected"
 * </pre>
 */
public final class Asker {
  private static final byte[] STUN = {
    0, 1, 0, 0, 0x21, 0x12, (byte) 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
  };
  private static final int SUCCESS = 1;

  private Asker() {}

  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(answer(line.split(" ", 5)));
    }
  }

  private static String answer(String[] words) {
    try {
      InetSocketAddress to =
          new InetSocketAddress(InetAddress.getByName(words[1]), Integer.parseInt(words[2]));
      int millis = Integer.parseInt(words[3]);
      return switch (words[0]) {
        case "udp" -> text(exchange(to, millis, bytes(words[4])));
        case "send" -> send(to, bytes(words[4]));
        case "burst" -> burst(to, millis, Integer.parseInt(words[4]));
        case "stun" -> exchange(to, millis, STUN)[0] == SUCCESS ? "success" : "other";
        default -> connect(to, millis);
      };
    } catch (IOException e) {
      return "-";
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII).replace('\n', ' ');
  }

  private static String connect(InetSocketAddress to, int millis) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(to, millis);
    }
    return "connected";
  }

  private static String send(InetSocketAddress to, byte[] payload) throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(payload, payload.length, to));
    }
    return "-";
  }

  private static String burst(InetSocketAddress to, int millis, int count) throws IOException {
    List<String> came = new ArrayList<>();
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(to);
      socket.setSoTimeout(millis);
      for (int i = 0; i < count; i++) {
        byte[] payload = bytes("#" + i);
        socket.send(new DatagramPacket(payload, payload.length));
      }
      while (came.size() < count) {
        DatagramPacket answer = new DatagramPacket(new byte[100], 100);
        socket.receive(answer);
        came.add(text(Arrays.copyOfRange(answer.getData(), 1, answer.getLength())));
      }
    } catch (SocketTimeoutException e) {
      // the other datagrams went on to their destination
    }
    return came.isEmpty() ? "-" : String.join(",", came);
  }

  private static byte[] exchange(InetSocketAddress to, int millis, byte[] payload)
      throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(to);
      socket.setSoTimeout(millis);
      socket.send(new DatagramPacket(payload, payload.length));
      DatagramPacket answer = new DatagramPacket(new byte[2000], 2000);
      socket.receive(answer);
      byte[] content = new byte[answer.getLength()];
      System.arraycopy(answer.getData(), 0, content, 0, content.length);
      return content;
    }
  }
}
