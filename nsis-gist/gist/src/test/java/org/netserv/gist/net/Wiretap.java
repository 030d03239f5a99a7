// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;

/** A relay on the path of one connection. It hears the bytes of the client and can garble them. */
final class Wiretap implements AutoCloseable {
  private final ServerSocket listener;
  private final InetAddress address;
  private final int server;
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private volatile boolean damaging;

  Wiretap(InetAddress address, int server) throws IOException {
    this.address = address;
    this.server = server;
    listener = new ServerSocket(0, 1, address);
    start(this::relay);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Returns all bytes that the client has sent, in hexadecimal digits. */
  String heard() {
    return HexFormat.of().formatHex(heard.toByteArray());
  }

  /** Garbles the client's bytes from now on. */
  void damage() {
    damaging = true;
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // A side has closed: nothing more to hear.
              }
            },
            "wiretap");
    thread.setDaemon(true);
    thread.start();
  }

  private void relay() throws IOException {
    try (Socket from = listener.accept();
        Socket to = new Socket(address, server)) {
      start(() -> to.getInputStream().transferTo(from.getOutputStream()));
      byte[] bytes = new byte[4096];
      int count;
      while ((count = from.getInputStream().read(bytes)) > 0) {
        heard.write(bytes, 0, count);
        if (damaging) {
          bytes[count - 1] ^= 1;
        }
        to.getOutputStream().write(bytes, 0, count);
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
