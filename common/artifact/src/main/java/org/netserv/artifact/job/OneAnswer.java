// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.netserv.values.Addresses;

/** A server on this host that answers one request, whatever it is, and ends: for a rehearsal. */
final class OneAnswer implements Closeable {
  private static final int TLS_HANDSHAKE = 22;
  private static final String LENGTH = "content-length:";

  private final ServerSocket server =
      new ServerSocket(0, 1, Addresses.of(new byte[] {127, 0, 0, 1}));
  private final byte[] body;

  OneAnswer(byte[] body) throws IOException {
    this.body = body;
    Thread thread = new Thread(this::answer, "one-answer");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  String url(String scheme) {
    return scheme + "://127.0.0.1:" + port() + "/";
  }

  private void answer() {
    try (Socket client = server.accept()) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
      in.mark(1);
      if (in.read() == TLS_HANDSHAKE) {
        return;
      }
      in.reset();
      String line = in.readLine();
      long length = 0;
      while (line != null && !line.isEmpty()) {
        if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
          length = Long.parseLong(line.substring(LENGTH.length()).strip());
        }
        line = in.readLine();
      }
      in.skip(length); // unread, it would turn the end into a reset
      OutputStream out = client.getOutputStream();
      String head = "HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n";
      out.write(head.getBytes(StandardCharsets.ISO_8859_1));
      out.write(body);
    } catch (IOException | RuntimeException e) {
      System.err.println("rehearsal: " + e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
