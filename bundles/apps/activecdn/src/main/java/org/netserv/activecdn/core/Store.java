// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.cache.StoredResponse;

/** Keeps responses by URI. The event loop alone calls it. */
public interface Store extends Room {
  /** Finds the responses of a URI, or null. The key is only read. */
  Variants find(Key key);

  /** Hears that an entry answers a request. */
  void touch(Entry entry);

  /**
   * Keeps an entry whose content is whole, in place of the one with the same keys. A slice brings
   * its object along.
   *
   * @return false if there is no room, or the slice's object is retired
   */
  boolean put(Entry entry);

  /** Gives an entry another head. */
  void update(Entry entry, StoredResponse response);

  /** Gives an object the head of a newer slice, which is written with that slice. */
  void combine(Entry object, StoredResponse response);

  /** Forgets an entry, and all its slices. Readers of its content read on. */
  void remove(Entry entry);

  /**
   * Removes an object with all its slices, and counts them.
   *
   * @param why the reason, counted once
   */
  void drop(Entry object, Why why);

  /** Forgets all that a purge names, and returns how many they were. */
  int purge(Purge purge);

  /**
   * Brings the content of a cold entry back.
   *
   * @param then runs later, when the entry is not cold any more, or not stored
   * @return false if that cannot be done now, and nothing will run
   */
  boolean recall(Entry entry, Runnable then);

  /**
   * Hears when all removals and updates until now outlive the process.
   *
   * @param then may run at once
   */
  void flush(Runnable then);

  /** The number of responses. */
  int count();

  /** Bytes taken: responses, and contents that are read or on their way. */
  long bytes();

  /** Bytes on the disk. */
  long diskBytes();
}
