// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.cache.StoredResponse;

/**
 * Keeps responses by URI. The event loop alone calls it. A store on a disk would be another
 * implementation.
 */
public interface Store extends Room {
  /** Finds the responses of a URI, or null. The key is only read. */
  Variants find(Key key);

  /** Hears that an entry answers a request. */
  void touch(Entry entry);

  /**
   * Keeps an entry whose content is whole, in place of the one with the same keys.
   *
   * @return false if there is no room
   */
  boolean put(Entry entry);

  /** Gives an entry another head. */
  void update(Entry entry, StoredResponse response);

  /** Forgets an entry. Readers of its content read on. */
  void remove(Entry entry);

  /** Forgets all that a purge names, and returns how many they were. */
  int purge(Purge purge);

  /** The number of responses. */
  int count();

  /** Bytes taken: responses, and contents that are read or on their way. */
  long bytes();
}
