// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;

/** Sends datagrams: {@code ADDRESS PORT}. The scenario checks from outside if they arrive. */
public final class UdpSend extends Attempt {
  private static final int DATAGRAMS = 5;

  @Override
  protected String attempt(String argument) throws IOException {
    String[] words = argument.split(" ", -1);
    InetSocketAddress to = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
    try (DatagramSocket socket = new DatagramSocket()) {
      for (int i = 0; i < DATAGRAMS; i++) {
        socket.send(new DatagramPacket(new byte[100], 100, to));
      }
    }
    return "sent";
  }
}
