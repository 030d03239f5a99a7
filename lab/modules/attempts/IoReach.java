// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSocket;

/**
 * Asks a host for a closed UDP port by a socket of the block {@code io}: {@code ADDRESS PORT}. The
 * attempt succeeds if that host says by ICMP that the port is unreachable.
 */
public final class IoReach extends Attempt {
  private static final int TRIES = 20;
  private static final int PAUSE_MILLIS = 100;
  private static final int UNREACHABLE = 3;
  private static final int PORT = 3;
  private static final long MAPPED = 0xffff_0000_0000L;

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", -1);
    int ip = ByteBuffer.wrap(InetAddress.getByName(words[0]).getAddress()).getInt();
    DatagramBatch batch = new DatagramBatch(1, 64);
    try (UdpSocket socket = UdpSocket.bind(new InetSocketAddress("0.0.0.0", 0))) {
      if (!socket.errors(true)) {
        throw new IOException("no natives, so the sockets of io are the JDK's");
      }
      for (int i = 0; i < TRIES; i++) {
        batch.to(0, 0, MAPPED | Integer.toUnsignedLong(ip), Integer.parseInt(words[1]));
        batch.part(0, batch.room(0), 1);
        socket.send(batch, 0, 1);
        Thread.sleep(PAUSE_MILLIS);
        if (socket.receiveErrors(batch) > 0 && batch.isIcmp(0)) {
          return told(batch.icmpType(0), batch.icmpCode(0));
        }
      }
    }
    throw denied("no answer");
  }

  private static String told(int type, int code) throws Exception {
    if (type != UNREACHABLE || code != PORT) {
      throw denied("ICMP " + type + "/" + code);
    }
    return "reached a closed port";
  }
}
