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
 * {@code GistSink COUNT 4|6}: takes on UDP port 270 what {@code lab-gist transit} sends, and counts
 * the different numbers of each of its three kinds; ends when all have come, or after three seconds
 * of silence once one has.
 *
 * <p>What came with other bytes than were sent is {@code damaged}: the magic number is missing, or
 * there where there should be none. A Query whose hop count has gone down went through a GIST node:
 * it is {@code handled}, and no less whole.
 */
public final class GistSink {
  private static final int PORT = 270;
  private static final int MAGIC = 0x4e04bda5;
  private static final int SILENCE_MS = 3000;
  private static final int KINDS = 3;
  private static final int QUERY = 0;
  private static final int NOISE = 2;
  private static final int HOPS_AT = 5;

  /** As {@code lab-gist} sends it. */
  private static final int HOPS = 30;

  private GistSink() {}

  /** Where the number is: magic, common header, MRI, the SID's own header. */
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
