// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.LockSupport;

/** Sends numbered datagrams at an even rate: {@code UdpSource ADDRESS PORT RATE COUNT}. */
public final class UdpSource {
  private static final int LENGTH = 100;

  private UdpSource() {}

  public static void main(String[] args) throws IOException {
    InetSocketAddress to = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    int rate = Integer.parseInt(args[2]);
    long count = Long.parseLong(args[3]);
    try (DatagramChannel channel = DatagramChannel.open()) {
      ByteBuffer datagram = ByteBuffer.allocate(LENGTH);
      long start = System.nanoTime();
      for (long i = 0; i < count; i++) {
        LockSupport.parkNanos(start + i * 1_000_000_000L / rate - System.nanoTime());
        channel.send(datagram.putLong(0, i).clear(), to);
      }
    }
    System.out.println("sent=" + count);
  }
}
