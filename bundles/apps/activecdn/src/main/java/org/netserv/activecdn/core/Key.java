// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.netserv.http.cache.CacheKey;

/**
 * The URI of stored responses, in the spelling of {@link CacheKey}. Comparable, so that a map stays
 * quick when someone looks for keys with equal hashes.
 */
final class Key implements Comparable<Key> {
  private byte[] bytes;
  private int length;
  private int hash;

  private Key() {}

  /** Makes a key that points at the last request of a {@link CacheKey}, for look-ups alone. */
  static Key probe() {
    Key key = new Key();
    key.bytes = new byte[0];
    return key;
  }

  /** Makes the key of a URI. */
  static Key of(String uri) {
    Key key = new Key();
    byte[] octets = normal(uri).getBytes(StandardCharsets.ISO_8859_1);
    key.set(octets, octets.length);
    return key;
  }

  /** Makes a key of its own octets, as {@link #octets} returns them. */
  static Key ofOctets(byte[] octets) {
    Key key = new Key();
    key.set(octets, octets.length);
    return key;
  }

  /** Returns a copy of the key's octets. */
  byte[] octets() {
    return Arrays.copyOf(bytes, length);
  }

  /** Points a probe at a request. */
  Key reset(CacheKey request) {
    set(request.bytes(), request.length());
    return this;
  }

  private void set(byte[] array, int count) {
    bytes = array;
    length = count;
    int sum = 1;
    for (int i = 0; i < count; i++) {
      sum = 31 * sum + array[i];
    }
    hash = sum;
  }

  /** Copies the key for a map. */
  Key copy() {
    Key key = new Key();
    key.set(Arrays.copyOf(bytes, length), length);
    return key;
  }

  /** Writes scheme and host in lower case, without a default port, and an empty path as "/". */
  static String normal(String uri) {
    int scheme = uri.indexOf("://");
    if (scheme < 0) {
      return uri;
    }
    int host = scheme + 3;
    int path = host;
    while (path < uri.length() && "/?#".indexOf(uri.charAt(path)) < 0) {
      path++;
    }
    String start = uri.substring(0, host).toLowerCase(Locale.ROOT);
    String authority = uri.substring(host, path).toLowerCase(Locale.ROOT);
    String usual = start.equals("https://") ? ":443" : ":80";
    if (authority.endsWith(usual)) {
      authority = authority.substring(0, authority.length() - usual.length());
    } else if (authority.endsWith(":")) {
      authority = authority.substring(0, authority.length() - 1);
    }
    int fragment = uri.indexOf('#', path);
    String rest = fragment < 0 ? uri.substring(path) : uri.substring(path, fragment);
    return start + authority + (rest.startsWith("/") ? rest : "/" + rest);
  }

  boolean startsWith(byte[] prefix) {
    return length >= prefix.length
        && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Bytes of the key. */
  int length() {
    return length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key
        && key.hash == hash
        && Arrays.equals(bytes, 0, length, key.bytes, 0, key.length);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public int compareTo(Key other) {
    return Arrays.compare(bytes, 0, length, other.bytes, 0, other.length);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }
}
