// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.Set;
import org.netserv.http.cache.StoredResponse;

/** A stored response with its content, or one that is on its way into the store. */
final class Entry {
  /** Bytes that an entry costs beside its content, its head and its keys: an estimate. */
  private static final int OVERHEAD = 512;

  final Key key;
  final Content content;
  final Set<String> surrogates;
  StoredResponse response;

  // The list of the memory store that the entry is in.
  Entry newer;
  Entry older;
  boolean isProtected;
  boolean isStored;
  long cost;

  Entry(Key key, StoredResponse response, Content content, Set<String> surrogates) {
    this.key = key;
    this.response = response;
    this.content = content;
    this.surrogates = surrogates;
  }

  /** Bytes beside the content. */
  long overhead() {
    return (long) OVERHEAD + key.length() + response.head().length + response.key().length;
  }
}
