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
 * Counts the packets of {@code lab-gist transit} on UDP port 270: {@code GistSink COUNT 4|6}. It
 * counts the different numbers of each of the three kinds. It ends when all have come, or after
 * three seconds of silence once a packet has come.
 *
 * <p>A packet that arrives with other bytes than were sent is {@code damaged}: its magic number is
 * missing, or it has a magic number and should have none. A Query with a hop count that has gone
 * down went through a GIST node. It counts as {@code handled}, and is not damaged.
 */
public final class GistSink {
  private static final int PORT = 270;
  private static final int MAGIC = 0x4e04bda5;
  private static final int SILENCE_MS = 3000;
  private static final int KINDS = 3;
  private static final int QUERY = 0;
  private static final int NOISE = 2;
  private static final int HOPS_AT = 5;

  /** Hop count that {@code lab-gist} sends. */
  private static final int HOPS = 30;

  private GistSink() {}

  /** Returns the place of the number, after magic, common header, MRI and the SID's own header. */
  private static int numberAt(boolean v6) {
    return 4 + 8 + (4 + 8 + 2 * (v6 ? 16 : 4)) + 4;
  }

  public static void main(String[] args) throws IOException {
    int count = Integer.parseInt(args[0]);
    int at = numberAt(args[1].equals("6"));
    BitSet seen = new BitSet(count);
    int damaged = 0;
    int handled = 0;
    try (DatagramSocket socket = new DatagramSocket(null)) {
      socket.setReceiveBufferSize(8 << 20);
      socket.bind(new InetSocketAddress(PORT));
      System.out.println("ready");
      DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
      while (seen.cardinality() < count) {
        socket.receive(packet);
        socket.setSoTimeout(SILENCE_MS);
        ByteBuffer bytes = ByteBuffer.wrap(packet.getData(), 0, packet.getLength());
        long number = bytes.limit() < at + 8 ? -1 : bytes.getLong(at);
        boolean known = number >= 0 && number < count;
        if (known && (bytes.getInt(0) == MAGIC) == (number % KINDS != NOISE)) {
          seen.set((int) number);
          handled += number % KINDS == QUERY && bytes.get(HOPS_AT) < HOPS ? 1 : 0;
        } else {
          damaged++;
        }
      }
    } catch (SocketTimeoutException e) {
      System.out.println("silence");
    }
    int[] kinds = new int[KINDS];
    seen.stream().forEach(number -> kinds[number % KINDS]++);
    System.out.printf(
        "queries=%d data=%d noise=%d damaged=%d handled=%d%n",
        kinds[QUERY], kinds[1], kinds[NOISE], damaged, handled);
  }
}
