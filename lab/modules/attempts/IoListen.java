// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;

/**
 * Binds a UDP port that was not given to it by a socket of the block {@code io}. The attempt
 * succeeds if somebody outside gets through.
 */
public final class IoListen extends Attempt {
  private static final int MILLIS = 3000;

  @Override
  protected String attempt(String port) throws Exception {
    DatagramBatch batch = new DatagramBatch(1, 64);
    InetSocketAddress local = new InetSocketAddress("0.0.0.0", Integer.parseInt(port));
    try (UdpSocket socket = UdpSocket.bind(local);
        UdpSelector selector = UdpSelector.open()) {
      if (!socket.isBatched()) {
        throw new IOException("no natives, so the sockets of io are the JDK's");
      }
      selector.add(socket, 0);
      if (selector.receive(batch, MILLIS) == 0) {
        throw new IOException("bound, but nobody gets through");
      }
      return "reached by " + batch.length(0) + " bytes";
    }
  }
}
