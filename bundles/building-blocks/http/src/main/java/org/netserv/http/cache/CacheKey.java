// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.netserv.http.Octets;
import org.netserv.http.RequestHead;

/**
 * Writes the primary cache key of a request: its target URI in one spelling (RFC 9111, 2, and RFC
 * 9110, 4.2.3).
 *
 * <pre>
 *   http://host[:port]/path?query      scheme and host in lower case, no default port
 * </pre>
 *
 * Path and query are kept octet by octet. The key is in an array of this object until the next
 * request, so that a look-up allocates nothing. One thread.
 */
public final class CacheKey {
  private static final byte[] HTTP = "http://".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] HTTPS = "https://".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[256];
  private int length;

  /**
   * Writes the key of a request.
   *
   * @param secure whether the connection is TLS; an absolute target's own scheme goes before
   */
  public CacheKey reset(RequestHead request, boolean secure) {
    byte[] from = request.bytes();
    boolean tls = request.isAbsolute() ? request.isSecure() : secure;
    int host = request.hostStart();
    int hostEnd = withoutPort(from, host, request.hostEnd(), tls ? 443 : 80);
    int path = request.pathStart();
    int most = HTTPS.length + hostEnd - host + 1 + request.pathEnd() - path;
    if (bytes.length < most) {
      bytes = new byte[most];
    }
    length = 0;
    byte[] scheme = tls ? HTTPS : HTTP;
    put(scheme, 0, scheme.length);
    for (int i = host; i < hostEnd; i++) {
      bytes[length++] = Octets.lower(from[i]);
    }
    if (path == request.pathEnd() || from[path] == '?') {
      bytes[length++] = '/';
    }
    put(from, path, request.pathEnd());
    return this;
  }

  private void put(byte[] from, int start, int end) {
    System.arraycopy(from, start, bytes, length, end - start);
    length += end - start;
  }

  /** Returns the end of the host, without an empty port and without the default port. */
  private static int withoutPort(byte[] from, int start, int end, int usual) {
    int colon = end;
    while (colon > start && Octets.isDigit(from[colon - 1])) {
      colon--;
    }
    if (colon == start || from[colon - 1] != ':') {
      return end;
    }
    long port = Octets.decimal(from, colon, end, 65_536);
    return colon == end || port == usual ? colon - 1 : end;
  }

  /** The key's octets are {@code [0, length())} of this array. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** Copies the key for a store. */
  public byte[] copy() {
    return Arrays.copyOf(bytes, length);
  }

  /** Returns the key as a text, for {@link Invalidation} and logs. */
  public String text() {
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }
}
