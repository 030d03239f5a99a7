// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * Plays a user agent over TCP: {@code StreamAgent ADDRESS PORT SERVER PINGS}. It registers with
 * SERVER through the connection, then sends pings (RFC 5626, 4.4.1), each 20 ms after the answer to
 * the one before, or after three seconds of silence. In the end it asks with OPTIONS. It prints
 * {@code registered= pongs= asked= closed=}: 1 if the REGISTER was answered with 200, pings
 * answered, 1 if the OPTIONS was, and 1 if the connection was closed from the other end.
 */
public final class StreamAgent {
  private static final int PATIENCE_MILLIS = 3000;
  private static final long PERIOD_NANOS = 20_000_000L;
  private static final byte[] PING = {'\r', '\n', '\r', '\n'};

  private final Socket socket;
  private final String server;
  private boolean closed;

  private StreamAgent(Socket socket, String server) {
    this.socket = socket;
    this.server = server;
  }

  public static void main(String[] args) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(args[0], Integer.parseInt(args[1])), 5000);
      StreamAgent agent = new StreamAgent(socket, args[2]);
      boolean registered =
          agent.ask("REGISTER", "Contact: <sip:stream@10.0.0.10;transport=tcp>\r\n");
      System.out.println("ready");
      int pongs = 0;
      for (int i = 0; i < Integer.parseInt(args[3]) && !agent.closed; i++) {
        pongs += agent.ping() ? 1 : 0;
        LockSupport.parkNanos(PERIOD_NANOS);
      }
      boolean asked = !agent.closed && agent.ask("OPTIONS", "");
      System.out.printf(
          "registered=%d pongs=%d asked=%d closed=%d%n",
          registered ? 1 : 0, pongs, asked ? 1 : 0, agent.closed ? 1 : 0);
    }
  }

  private boolean ask(String method, String more) throws IOException {
    String request =
        method
            + " sip:"
            + server
            + " SIP/2.0\r\nVia: SIP/2.0/TCP 10.0.0.10;branch=z9hG4bK"
            + System.nanoTime()
            + "\r\nMax-Forwards: 70\r\nFrom: <sip:stream@"
            + server
            + ">;tag=1\r\nTo: <sip:stream@"
            + server
            + ">\r\nCall-ID: stream@10.0.0.10\r\nCSeq: 1 "
            + method
            + "\r\n"
            + more
            + "Content-Length: 0\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return read("\r\n\r\n").startsWith("SIP/2.0 200");
  }

  private boolean ping() throws IOException {
    try {
      socket.getOutputStream().write(PING);
    } catch (IOException e) {
      closed = true;
      return false;
    }
    return read("\r\n").equals("\r\n");
  }

  /** Reads until the text has come, the patience ends, or the other end closes. */
  private String read(String end) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    StringBuilder text = new StringBuilder();
    InputStream in = socket.getInputStream();
    try {
      while (text.indexOf(end) < 0) {
        int next = in.read();
        if (next < 0) {
          closed = true;
          break;
        }
        text.append((char) next);
      }
    } catch (SocketTimeoutException e) {
      return text.toString();
    } catch (IOException e) {
      closed = true; // reset by the other end
    }
    return text.toString();
  }
}
