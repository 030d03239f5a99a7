// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.List;
import java.util.Set;
import org.netserv.activecdn.disk.Place;
import org.netserv.http.cache.StoredResponse;

/** A stored response with its content, or one that is on its way into the store. */
final class Entry {
  /** Bytes that an entry costs beside its content, its head and its keys: an estimate. */
  private static final int OVERHEAD = 512;

  final Key key;
  final Set<String> surrogates;
  StoredResponse response;
  Content content; // null = on the disk alone

  // The list of the memory store that the entry is in; null = it is not stored.
  EntryList list;
  Entry newer;
  Entry older;
  long cost;

  Place<Entry> place; // on the disk, null = none
  List<Runnable> recalls; // that wait for the content from the disk, null = none

  /**
   * Makes an entry.
   *
   * @param content null = on the disk alone
   */
  Entry(Key key, StoredResponse response, Content content, Set<String> surrogates) {
    this.key = key;
    this.response = response;
    this.content = content;
    this.surrogates = surrogates;
  }

  boolean isStored() {
    return list != null;
  }

  /** Tells whether the content is on the disk alone. */
  boolean isCold() {
    return content == null;
  }

  /** Bytes beside the content. */
  long overhead() {
    long texts = 0;
    for (String surrogate : surrogates) {
      texts += surrogate.length();
    }
    return OVERHEAD + texts + key.length() + response.head().length + response.key().length;
  }
}
