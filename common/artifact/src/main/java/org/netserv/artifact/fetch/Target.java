// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.netserv.artifact.fetch.FetchException.Reason.PORT;
import static org.netserv.artifact.fetch.FetchException.Reason.URL;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;

/**
 * The target of a request, taken apart once.
 *
 * @param host a name or a literal, without brackets
 * @param path as it goes into the request line: with the query, never empty
 */
record Target(boolean tls, String host, int port, String path) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  static Target of(URI uri, Set<Integer> ports) throws FetchException {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    boolean tls = scheme.equals("https");
    if (!tls && !scheme.equals("http")) {
      throw new FetchException(URL, "only http and https URLs are fetched");
    }
    if (uri.getRawUserInfo() != null) {
      throw new FetchException(URL, "a URL with user information is not fetched");
    }
    String host = uri.getHost();
    if (host == null || host.isEmpty() || host.indexOf('%') >= 0) {
      throw new FetchException(URL, "the URL has no plain host");
    }
    int port = uri.getPort() < 0 ? (tls ? HTTPS : HTTP) : uri.getPort();
    if (!ports.contains(port)) {
      throw new FetchException(PORT, "port " + port + " is not among the ports permitted");
    }
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return new Target(
        tls, bare, port, path + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery()));
  }

  static URI parse(String url) throws FetchException {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw new FetchException(URL, "not a URL", e);
    }
  }

  /** The value of the Host header. */
  String authority() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == (tls ? HTTPS : HTTP) ? name : name + ":" + port;
  }
}
