// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.BitSet;
import java.util.TreeSet;

/**
 * The far end of a call: {@code RtpCallee PORT COUNT}. It checks each RTP packet and answers it
 * with the packet of the same number of the other direction. It ends when all have come, or after a
 * silence of six seconds once one has come, and prints from which addresses they came.
 */
public final class RtpCallee {
  static final int CALLER = 1;
  static final int CALLEE = 2;
  private static final int SILENCE_MS = 6000;

  private RtpCallee() {}

  public static void main(String[] args) throws IOException {
    int count = Integer.parseInt(args[1]);
    BitSet seen = new BitSet(count);
    TreeSet<String> sources = new TreeSet<>();
    int wrong = 0;
    try (DatagramSocket socket = new DatagramSocket(Integer.parseInt(args[0]))) {
      System.out.println("ready");
      DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
      while (seen.cardinality() < count) {
        packet.setLength(2048);
        socket.receive(packet);
        socket.setSoTimeout(SILENCE_MS);
        int number = RtpPacket.number(packet.getData(), 0, packet.getLength(), CALLER);
        if (number < 0) {
          wrong++;
          continue;
        }
        seen.set(number);
        sources.add(packet.getAddress().getHostAddress());
        byte[] answer = RtpPacket.of(number, CALLEE);
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      }
    } catch (java.net.SocketTimeoutException e) {
      System.out.println("silence");
    }
    System.out.println("from " + String.join(" ", sources));
    System.out.println("received=" + seen.cardinality() + " wrong=" + wrong);
  }
}
