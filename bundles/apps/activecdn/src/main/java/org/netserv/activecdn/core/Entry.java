// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.List;
import java.util.Set;
import org.netserv.activecdn.disk.Place;
import org.netserv.http.cache.StoredResponse;

/**
 * A stored response with its content, or one that is on its way into the store. An object that is
 * kept in slices has one entry, and one more for each slice.
 */
final class Entry {
  /** Bytes that an entry costs beside its content, its head and its keys: an estimate. */
  private static final int OVERHEAD = 512;

  final Key key;
  final Set<String> surrogates;
  StoredResponse response;
  Content content; // null = on the disk alone, or in slices

  /** The slices of the content; null = it is in one piece. */
  final Slices slices;

  Entry object; // that this is a slice of, null = none
  final long index; // of the slice

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
    this(key, response, content, surrogates, null);
  }

  /** Makes an object that is kept in slices. */
  Entry(Key key, StoredResponse response, Set<String> surrogates, Slices slices) {
    this(key, response, null, surrogates, slices);
  }

  private Entry(
      Key key, StoredResponse response, Content content, Set<String> surrogates, Slices slices) {
    this.key = key;
    this.response = response;
    this.content = content;
    this.surrogates = surrogates;
    this.slices = slices;
    index = 0;
  }

  /**
   * Makes a slice of an object.
   *
   * @param content null = on the disk alone
   */
  Entry(Entry object, long index, Content content) {
    key = object.key;
    response = object.response;
    surrogates = object.surrogates;
    slices = null;
    this.content = content;
    this.object = object;
    this.index = index;
  }

  /** Tells whether the entry is an object that is kept in slices. */
  boolean isSliced() {
    return slices != null;
  }

  /** Tells whether the entry is a slice of an object. */
  boolean isSlice() {
    return object != null;
  }

  /** The head: that of the object, for a slice. */
  StoredResponse head() {
    return isSlice() ? object.response : response;
  }

  /** Gives an entry that was just read another head. */
  void head(StoredResponse head) {
    if (isSlice()) {
      object.response = head;
    } else {
      response = head;
    }
  }

  /** Bytes that the whole content has, or -1 if they are not known. */
  long length() {
    return isSlice()
        ? object.slices.grid().slice(index, head().length()).length()
        : response.length();
  }

  boolean isStored() {
    return list != null;
  }

  /** Tells whether the content is on the disk alone. */
  boolean isCold() {
    return content == null && slices == null;
  }

  /** Bytes beside the content. */
  long overhead() {
    if (isSlice()) {
      return OVERHEAD; // its object has the rest
    }
    long texts = 0;
    for (String surrogate : surrogates) {
      texts += surrogate.length();
    }
    return OVERHEAD + texts + key.length() + response.head().length + response.key().length;
  }
}
