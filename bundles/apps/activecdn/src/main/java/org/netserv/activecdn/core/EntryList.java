// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/** Entries from the one used last to the one not used for longest. An entry is in one at most. */
final class EntryList {
  private Entry newest;
  private Entry oldest;
  private long cost;

  /** Adds an entry as the newest one. */
  void add(Entry entry) {
    entry.list = this;
    entry.older = newest;
    entry.newer = null;
    if (newest == null) {
      oldest = entry;
    } else {
      newest.newer = entry;
    }
    newest = entry;
    cost += entry.cost;
  }

  void remove(Entry entry) {
    if (entry.newer == null) {
      newest = entry.older;
    } else {
      entry.newer.older = entry.older;
    }
    if (entry.older == null) {
      oldest = entry.newer;
    } else {
      entry.older.newer = entry.newer;
    }
    cost -= entry.cost;
    entry.list = null;
    entry.newer = null;
    entry.older = null;
  }

  /** Changes the cost of an entry of this list. */
  void charge(Entry entry, long more) {
    entry.cost += more;
    cost += more;
  }

  /** The entry that was not used for longest, or null. */
  Entry oldest() {
    return oldest;
  }

  /** The sum of the entries' costs. */
  long cost() {
    return cost;
  }
}
