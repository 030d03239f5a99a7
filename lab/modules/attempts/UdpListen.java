// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.SocketTimeoutException;

/**
 * Binds a UDP port that was not given to it. The attempt succeeds if somebody outside gets through.
 */
public final class UdpListen extends Attempt {
  private static final int MILLIS = 3000;

  @Override
  protected String attempt(String port) throws IOException {
    try (DatagramSocket socket = new DatagramSocket(Integer.parseInt(port))) {
      socket.setSoTimeout(MILLIS);
      DatagramPacket packet = new DatagramPacket(new byte[64], 64);
      socket.receive(packet);
      return "reached from " + packet.getAddress().getHostAddress();
    } catch (SocketTimeoutException e) {
      throw new IOException("bound, but nobody gets through", e);
    }
  }
}
