// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The URLs, prefixes of URLs and surrogate keys of one order to forget responses.
 *
 * @param keys URLs
 * @param prefixes octets that URLs begin with
 * @param surrogates keys of Surrogate-Key
 */
record Purge(List<Key> keys, List<byte[]> prefixes, List<String> surrogates) {
  Purge() {
    this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
  }

  void addUrl(String url) {
    keys.add(Key.of(url));
  }

  void addPrefix(String prefix) {
    prefixes.add(Key.normal(prefix).getBytes(StandardCharsets.ISO_8859_1));
  }

  boolean isEmpty() {
    return keys.isEmpty() && prefixes.isEmpty() && surrogates.isEmpty();
  }

  /** Tells whether the purge names a response. */
  boolean names(Key key, Set<String> surrogateKeys) {
    if (keys.contains(key)) {
      return true;
    }
    for (byte[] prefix : prefixes) {
      if (key.startsWith(prefix)) {
        return true;
      }
    }
    for (String surrogate : surrogates) {
      if (surrogateKeys.contains(surrogate)) {
        return true;
      }
    }
    return false;
  }
}
