// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Opens a TCP connection: {@code ADDRESS PORT}. */
public final class TcpConnect extends Attempt {
  private static final int MILLIS = 2000;

  @Override
  protected String attempt(String argument) throws IOException {
    String[] words = argument.split(" ", -1);
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(words[0], Integer.parseInt(words[1])), MILLIS);
      return "connected";
    }
  }
}
