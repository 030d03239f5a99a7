// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Counts the different numbers of a {@link UdpSource}: {@code UdpSink PORT COUNT}. It ends when all
 * have come, or after three seconds of silence once a number has come.
 */
public final class UdpSink {
  private static final int SILENCE_MS = 3000;
  private static final int BUFFER = 8 << 20;

  private UdpSink() {}

  public static void main(String[] args) throws IOException {
    int count = Integer.parseInt(args[1]);
    BitSet seen = new BitSet(count);
    try (DatagramSocket socket = new DatagramSocket(null)) {
      socket.setReceiveBufferSize(BUFFER);
      socket.bind(new InetSocketAddress(Integer.parseInt(args[0])));
      System.out.println("ready");
      DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
      while (seen.cardinality() < count) {
        socket.receive(packet);
        socket.setSoTimeout(SILENCE_MS);
        long number = packet.getLength() < 8 ? -1 : ByteBuffer.wrap(packet.getData()).getLong(0);
        if (number >= 0 && number < count) {
          seen.set((int) number);
        }
      }
    } catch (SocketTimeoutException e) {
      System.out.println("silence");
    }
    System.out.println("received=" + seen.cardinality());
  }
}
