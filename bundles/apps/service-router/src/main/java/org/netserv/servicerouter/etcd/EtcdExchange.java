// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A POST and its answer, on a connection of its own. It asks by HTTP/1.0, so that the answer ends
 * with the connection and has no chunks: a watch is a line for each event.
 *
 * <p>The JDK's own client is of no use in a container: a key of TLS for it is a right over all
 * connections ({@code setFactory}).
 */
final class EtcdExchange implements Closeable {
  private static final int CONNECT_MILLIS = 1000;
  private static final int HEAD_MOST = 8192;

  private final Socket socket;
  private final InputStream body;

  private EtcdExchange(Socket socket, InputStream body) {
    this.socket = socket;
    this.body = body;
  }

  /**
   * Asks, and reads the head of the answer. Blocks.
   *
   * @param tls null for HTTP in the clear; the server's certificate has to name the address
   * @param silenceMillis after which a read fails by a {@link java.net.SocketTimeoutException}
   * @throws IOException also for an answer other than 200
   */
  static EtcdExchange post(
      InetSocketAddress server, SSLSocketFactory tls, String path, byte[] body, int silenceMillis)
      throws IOException {
    Socket socket = new Socket();
    try {
      socket.setSoTimeout(silenceMillis);
      socket.connect(server, CONNECT_MILLIS);
      Socket secured = tls == null ? socket : secure(socket, server, tls);
      secured.getOutputStream().write(request(server, path, body));
      InputStream in = new BufferedInputStream(secured.getInputStream());
      skipHead(in);
      return new EtcdExchange(secured, in);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static Socket secure(Socket socket, InetSocketAddress server, SSLSocketFactory tls)
      throws IOException {
    String address = server.getAddress().getHostAddress();
    SSLSocket secured = (SSLSocket) tls.createSocket(socket, address, server.getPort(), true);
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    return secured;
  }

  private static byte[] request(InetSocketAddress server, String path, byte[] body) {
    String host = server.getAddress().getHostAddress();
    String authority = (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort();
    byte[] head =
        """
        POST %s HTTP/1.0\r
        Host: %s\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        """
            .formatted(path, authority, body.length)
            .getBytes(StandardCharsets.US_ASCII);
    byte[] all = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    return all;
  }

  /** Reads to the empty line behind the head. */
  private static void skipHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
      int next = in.read();
      if (next < 0 || head.length() == HEAD_MOST) {
        throw new IOException(next < 0 ? "no answer" : "a head of more than " + HEAD_MOST);
      }
      head.append((char) next);
    }
    String status = head.substring(0, head.indexOf("\r\n"));
    if (!status.matches("HTTP/1\\.[01] 200( .*)?")) {
      throw new IOException("an answer other than 200: " + status);
    }
  }

  /** Returns the bytes behind the head. They end with the connection. */
  InputStream body() {
    return body;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
