// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.http.cache.SliceGrid;

/**
 * The slices of an object that is kept in slices: those that the store has, and those on their way.
 *
 * <pre>
 *   object  head, validator, length         in the indexes of the store
 *     |-- slice 0   stored, in memory or on the disk    each in the lists of the store
 *     |-- slice 4   on its way
 *     `-- slice 9   stored
 * </pre>
 *
 * All have the object's strong validator. The object goes with its last slice. A retired object
 * takes no slice any more: it was purged, evicted or replaced, or the origin has another content.
 */
final class Slices {
  private final SliceGrid grid;
  private final Map<Long, Entry> kept = new HashMap<>();
  private final Map<Long, ComingSlice> coming = new HashMap<>();
  private boolean retired;

  Slices(SliceGrid grid) {
    this.grid = grid;
  }

  SliceGrid grid() {
    return grid;
  }

  // ---- stored ones, which the store alone adds and removes

  void add(Entry slice) {
    kept.put(slice.index, slice);
  }

  void remove(Entry slice) {
    kept.remove(slice.index, slice);
  }

  /** The stored slice with a number, or null. */
  Entry get(long index) {
    return kept.get(index);
  }

  /** A copy of the stored slices. */
  Collection<Entry> all() {
    return List.copyOf(kept.values());
  }

  int count() {
    return kept.size();
  }

  /** Tells whether all bytes of a range are stored. */
  boolean covers(long from, long to) {
    for (long index = grid.index(from); index * grid.bytes() < to; index++) {
      if (!kept.containsKey(index)) {
        return false;
      }
    }
    return true;
  }

  // ---- slices on their way

  void begin(ComingSlice slice) {
    coming.put(slice.index(), slice);
  }

  void end(ComingSlice slice) {
    coming.remove(slice.index(), slice);
  }

  /** The slice on its way, or null. */
  ComingSlice coming(long index) {
    return coming.get(index);
  }

  /** Tells whether no slice is stored or on its way. */
  boolean isIdle() {
    return kept.isEmpty() && coming.isEmpty();
  }

  /** Takes no slice any more. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }
}
