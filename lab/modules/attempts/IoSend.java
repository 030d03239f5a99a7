// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSocket;

/**
 * Sends a batch of datagrams by a socket of the block {@code io}, whose natives the host has
 * registered: {@code ADDRESS PORT}. The scenario checks from outside if they arrive.
 */
public final class IoSend extends Attempt {
  private static final int DATAGRAMS = 5;
  private static final int LENGTH = 100;
  private static final long MAPPED = 0xffff_0000_0000L;

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", -1);
    int ip = ByteBuffer.wrap(InetAddress.getByName(words[0]).getAddress()).getInt();
    DatagramBatch batch = new DatagramBatch(DATAGRAMS, LENGTH);
    try (UdpSocket socket = UdpSocket.bind(new InetSocketAddress("0.0.0.0", 0))) {
      if (!socket.isBatched()) {
        throw new IOException("no natives, so the sockets of io are the JDK's");
      }
      for (int i = 0; i < DATAGRAMS; i++) {
        batch.to(i, 0, MAPPED | Integer.toUnsignedLong(ip), Integer.parseInt(words[1]));
        batch.part(i, batch.room(i), LENGTH);
      }
      int sent = socket.send(batch, 0, DATAGRAMS);
      if (sent == 0 || batch.error(0) != 0) {
        throw denied("error " + batch.error(0));
      }
      return "sent " + sent;
    }
  }
}
