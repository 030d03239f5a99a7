// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.netserv.http.cache.StoredResponse;

/** The stored responses of one URI, which Vary tells apart. */
final class Variants {
  /** The most responses of one URI. The oldest one makes room for another. */
  static final int MOST = 32;

  private final List<Entry> entries = new ArrayList<>(1);
  private final List<StoredResponse> responses = new ArrayList<>(1);

  /** The responses, in the order of {@link #get}; to be read alone. */
  List<StoredResponse> responses() {
    return responses;
  }

  Entry get(int place) {
    return entries.get(place);
  }

  int size() {
    return entries.size();
  }

  int indexOf(Entry entry) {
    return entries.indexOf(entry);
  }

  void add(Entry entry) {
    entries.add(entry);
    responses.add(entry.response);
  }

  void remove(Entry entry) {
    int place = entries.indexOf(entry);
    if (place >= 0) {
      entries.remove(place);
      responses.remove(place);
    }
  }

  /** Returns the response with the same secondary key, or null. */
  Entry same(Entry entry) {
    for (Entry each : entries) {
      if (Arrays.equals(each.response.key(), entry.response.key())) {
        return each;
      }
    }
    return null;
  }

  /** Gives an entry another head. */
  void update(Entry entry, StoredResponse response) {
    entry.response = response;
    int place = entries.indexOf(entry);
    if (place >= 0) {
      responses.set(place, response);
    }
  }
}
