// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;

/** Gets by HTTP, with bounds on bytes and time, and follows redirects within one server only. */
final class Fetch {
  private static final int BUFFER = 1 << 16;
  private static final int REDIRECTS = 2;
  private static final int REDIRECTION = 3; // the class of its status codes

  private Fetch() {}

  /** A status other than 200. */
  static final class StatusException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;

    StatusException(int status) {
      super("status " + status);
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  /**
   * Copies a content.
   *
   * @param most bytes of it
   * @throws StatusException if the server answers otherwise than 200
   * @throws IOException if it does not come, is too long, or is not whole
   */
  static void copy(URI from, long most, Deadline deadline, OutputStream to) throws IOException {
    URI at = from;
    for (int turn = 0; turn <= REDIRECTS; turn++) {
      HttpURLConnection connection = open(at, deadline);
      try {
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_OK) {
          copy(connection, most, deadline, to);
          return;
        }
        if (status / 100 != REDIRECTION) {
          throw new StatusException(status);
        }
        at = within(from, connection.getHeaderField("Location"));
      } finally {
        connection.disconnect();
      }
    }
    throw new IOException("more than " + REDIRECTS + " redirects");
  }

  private static HttpURLConnection open(URI at, Deadline deadline) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) at.toURL().openConnection(Proxy.NO_PROXY);
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setConnectTimeout(deadline.millis());
    connection.setReadTimeout(deadline.millis());
    connection.setRequestProperty("Connection", "close");
    connection.setRequestProperty("User-Agent", "netserv-watermark");
    return connection;
  }

  private static void copy(
      HttpURLConnection connection, long most, Deadline deadline, OutputStream to)
      throws IOException {
    byte[] chunk = new byte[BUFFER];
    long copied = 0;
    try (InputStream in = connection.getInputStream()) {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        copied += n;
        if (copied > most) {
          throw new IOException("longer than " + most + " bytes");
        }
        to.write(chunk, 0, n);
        deadline.millis();
      }
    }
    long announced = connection.getContentLengthLong();
    if (announced >= 0 && announced != copied) {
      throw new IOException("cut after " + copied + " bytes");
    }
  }

  /**
   * Resolves a reference, which must lead to the same server.
   *
   * @param reference null = none
   */
  static URI within(URI base, String reference) throws IOException {
    try {
      URI to = base.resolve(new URI(reference == null ? "" : reference)).normalize();
      if (same(base.getScheme(), to.getScheme())
          && same(base.getHost(), to.getHost())
          && base.getPort() == to.getPort()
          && to.getUserInfo() == null) {
        return to;
      }
    } catch (URISyntaxException e) {
      throw new IOException("no address: " + e.getReason(), e);
    }
    throw new IOException("leads to another server");
  }

  private static boolean same(String one, String other) {
    return one != null && one.equalsIgnoreCase(other);
  }
}
