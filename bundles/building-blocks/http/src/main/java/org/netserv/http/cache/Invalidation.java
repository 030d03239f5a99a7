// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpMethod;

/** Invalidates stored responses after unsafe requests (RFC 9111, 4.4). */
public final class Invalidation {
  private Invalidation() {}

  /**
   * Tells whether a response invalidates its target URI. Methods of unknown safety count as unsafe.
   */
  public static boolean decide(HttpMethod method, int status) {
    return !method.isSafe() && method != HttpMethod.CONNECT && status >= 200 && status < 400;
  }

  /**
   * Finds another URI that the response names in Location or Content-Location.
   *
   * @param target the absolute URI of the request
   * @return the absolute URI, or null if there is none, or its origin differs from the target's
   */
  public static String other(String target, FieldSection response, Field field) {
    int line = response.first(field);
    if (line < 0) {
      return null;
    }
    int start = response.valueStart(line);
    int length = response.valueEnd(line) - start;
    String value = new String(response.bytes(), start, length, StandardCharsets.ISO_8859_1);
    try {
      URI base = new URI(target);
      URI named = base.resolve(new URI(value));
      return sameOrigin(base, named) ? withoutFragment(named.toString()) : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }

  private static String withoutFragment(String uri) {
    int hash = uri.indexOf('#');
    return hash < 0 ? uri : uri.substring(0, hash);
  }

  private static boolean sameOrigin(URI a, URI b) {
    return a.getScheme() != null
        && a.getScheme().equalsIgnoreCase(b.getScheme())
        && a.getHost() != null
        && a.getHost().equalsIgnoreCase(b.getHost())
        && port(a) == port(b);
  }

  private static int port(URI uri) {
    int usual = uri.getScheme().equalsIgnoreCase("https") ? 443 : 80;
    return uri.getPort() < 0 ? usual : uri.getPort();
  }
}
