// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.nio.charset.StandardCharsets;

/** The fields that the code knows by name. {@link #of} finds one in the octets of its name. */
public enum Field {
  ACCEPT("Accept"),
  ACCEPT_ENCODING("Accept-Encoding"),
  ACCEPT_LANGUAGE("Accept-Language"),
  ACCEPT_RANGES("Accept-Ranges"),
  AGE("Age"),
  AUTHORIZATION("Authorization"),
  CACHE_CONTROL("Cache-Control"),
  CACHE_STATUS("Cache-Status"),
  CDN_CACHE_CONTROL("CDN-Cache-Control"),
  CONNECTION("Connection"),
  CONTENT_LENGTH("Content-Length"),
  CONTENT_LOCATION("Content-Location"),
  CONTENT_RANGE("Content-Range"),
  CONTENT_TYPE("Content-Type"),
  COOKIE("Cookie"),
  DATE("Date"),
  ETAG("ETag"),
  EXPIRES("Expires"),
  HOST("Host"),
  IF_MATCH("If-Match"),
  IF_MODIFIED_SINCE("If-Modified-Since"),
  IF_NONE_MATCH("If-None-Match"),
  IF_RANGE("If-Range"),
  IF_UNMODIFIED_SINCE("If-Unmodified-Since"),
  KEEP_ALIVE("Keep-Alive"),
  LAST_MODIFIED("Last-Modified"),
  LOCATION("Location"),
  MAX_FORWARDS("Max-Forwards"),
  PROXY_AUTHENTICATE("Proxy-Authenticate"),
  PROXY_AUTHENTICATION_INFO("Proxy-Authentication-Info"),
  PROXY_AUTHORIZATION("Proxy-Authorization"),
  PROXY_CONNECTION("Proxy-Connection"),
  RANGE("Range"),
  REFERER("Referer"),
  TE("TE"),
  TRAILER("Trailer"),
  TRANSFER_ENCODING("Transfer-Encoding"),
  UPGRADE("Upgrade"),
  USER_AGENT("User-Agent"),
  VARY("Vary"),
  VIA("Via");

  private static final int SLOTS = 256;
  private static final Field[] TABLE = table();

  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // never changed, and not seen outside of the package
  private final byte[] bytes;

  Field(String text) {
    this.text = text;
    this.bytes = text.getBytes(StandardCharsets.US_ASCII);
  }

  private static Field[] table() {
    Field[] table = new Field[SLOTS];
    for (Field field : values()) {
      int slot = slot(field.bytes, 0, field.bytes.length);
      while (table[slot] != null) {
        slot = (slot + 1) % SLOTS;
      }
      table[slot] = field;
    }
    return table;
  }

  private static int slot(byte[] bytes, int start, int end) {
    int middle = Octets.lower(bytes[(start + end) >>> 1]);
    int ends = Octets.lower(bytes[start]) * 7 + Octets.lower(bytes[end - 1]) * 31;
    return (ends + middle * 13 + (end - start) * 17) & (SLOTS - 1);
  }

  /** Returns the field of a name in any case, or null if the name is none of these. */
  public static Field of(byte[] bytes, int start, int end) {
    if (end <= start) {
      return null;
    }
    for (int slot = slot(bytes, start, end); TABLE[slot] != null; slot = (slot + 1) % SLOTS) {
      byte[] name = TABLE[slot].bytes;
      if (Octets.same(name, 0, name.length, bytes, start, end)) {
        return TABLE[slot];
      }
    }
    return null;
  }

  /** The name as RFCs write it. */
  public String text() {
    return text;
  }

  /** The octets of the name, shared: never change them. */
  byte[] octets() {
    return bytes;
  }

  /** The field's bit in a set of fields. */
  @SuppressWarnings("EnumOrdinal") // the sets live as long as the JVM and no longer
  long bit() {
    return 1L << ordinal();
  }

  /**
   * Tells whether the field concerns one connection and ends there (RFC 9110, 7.6.1), whether
   * Connection lists it or not.
   */
  public boolean isHopByHop() {
    return switch (this) {
      case CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE ->
          true;
      default -> false;
    };
  }
}
