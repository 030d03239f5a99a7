// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** Request methods (RFC 9110, 9.3, and RFC 5789). Methods are case-sensitive. */
public enum HttpMethod {
  GET,
  HEAD,
  POST,
  PUT,
  DELETE,
  CONNECT,
  OPTIONS,
  TRACE,
  PATCH,
  /** A method that none of the constants names. */
  OTHER;

  private static final HttpMethod[] VALUES = values();

  /** Returns the method, OTHER for a token that is not listed. */
  public static HttpMethod of(byte[] bytes, int start, int end) {
    for (HttpMethod method : VALUES) {
      if (method != OTHER && method.is(bytes, start, end)) {
        return method;
      }
    }
    return OTHER;
  }

  private boolean is(byte[] bytes, int start, int end) {
    String name = name();
    if (end - start != name.length()) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (bytes[start + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether the method is known to be safe (RFC 9110, 9.2.1). */
  public boolean isSafe() {
    return switch (this) {
      case GET, HEAD, OPTIONS, TRACE -> true;
      default -> false;
    };
  }
}
