// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;

/**
 * Listens on a TCP port that was not given to it. The attempt succeeds if somebody outside gets
 * through.
 */
public final class TcpListen extends Attempt {
  private static final int MILLIS = 3000;

  @Override
  protected String attempt(String port) throws IOException {
    try (ServerSocket server = new ServerSocket(Integer.parseInt(port))) {
      server.setSoTimeout(MILLIS);
      return "reached from " + server.accept().getInetAddress().getHostAddress();
    } catch (SocketTimeoutException e) {
      throw new IOException("bound, but nobody gets through", e);
    }
  }
}
