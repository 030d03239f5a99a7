// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.http.cache.Combining;
import org.netserv.http.cache.StoredResponse;
import org.netserv.packet.Tally;

/**
 * A store in the heap, bounded by bytes, with a {@link Shelf} below it.
 *
 * <pre>
 *   put --> probation  --hit-->  safe (80 %)  --overflow--> probation
 *               |                  |
 *               +--- no room ------+---> cold, if the shelf has the content; else evicted
 *                                          |
 *                 probation  <--recall-----+---> evicted, beyond a quarter of the memory
 * </pre>
 *
 * Responses that are asked for once leave first (segmented LRU), so that a crawler does not drive
 * out what people read. A content that is being read is not evicted, because its bytes would stay.
 * Of a cold response the memory has all but the content.
 *
 * <p>Each slice of an object is in the lists for itself. The object is in none of them, and goes
 * with its last slice.
 */
public final class MemoryStore implements Store {
  /** Entries looked at for one that nobody reads. */
  private static final int LOOKS = 128;

  private static final int SAFE_PERCENT = 80;
  private static final int COLD_PERCENT = 25;

  private final long limit;
  private final Tally<Why> tally;
  private final Map<Key, Variants> map = new HashMap<>();
  private final Map<String, Set<Entry>> surrogates = new HashMap<>();
  private final EntryList probation = new EntryList();
  private final EntryList safe = new EntryList();
  private final EntryList cold = new EntryList();
  private final EntryList objects = new EntryList(); // that are kept in slices
  private Shelf shelf = Shelf.NONE;
  private long bytes;
  private int count;

  /**
   * Makes an empty store.
   *
   * @param limit the most bytes
   */
  public MemoryStore(long limit, Tally<Why> tally) {
    this.limit = limit;
    this.tally = tally;
  }

  /** Puts a shelf below the store, whose entries are added by {@link #restore}. */
  void shelve(Shelf below) {
    shelf = below;
  }

  @Override
  public Variants find(Key key) {
    return map.get(key);
  }

  @Override
  public void touch(Entry entry) {
    if (!entry.isStored() || entry.isSliced()) {
      return;
    }
    EntryList target = entry.isCold() ? cold : safe;
    entry.list.remove(entry);
    target.add(entry);
    while (safe.cost() > limit / 100 * SAFE_PERCENT && safe.oldest() != entry) {
      Entry demoted = safe.oldest();
      safe.remove(demoted);
      probation.add(demoted);
    }
    if (!entry.isCold()) {
      shelf.write(entry);
    }
  }

  @Override
  public boolean put(Entry entry) {
    if (entry.isSlice() ? !addSlice(entry) : !add(entry)) {
      return false;
    }
    entry.cost = entry.overhead() + entry.content.size();
    probation.add(entry);
    shelf.write(entry);
    return true;
  }

  /** Adds an entry whose content is on the shelf. */
  void restore(Entry entry) {
    if (entry.isSlice()) {
      unite(entry);
    }
    if (entry.isSlice() ? addSlice(entry) : add(entry)) {
      entry.cost = entry.overhead();
      cold.add(entry);
      boundCold(entry);
    } else {
      shelf.forget(entry);
    }
  }

  /** Adds an entry to the indexes, in place of the one with the same keys. */
  private boolean add(Entry entry) {
    Variants before = map.get(entry.key);
    Entry same = before == null ? null : before.same(entry);
    if (same != null) {
      replace(same);
    }
    if (!take(entry.overhead())) {
      return false;
    }
    Variants variants = map.computeIfAbsent(entry.key, key -> new Variants());
    if (variants.size() == Variants.MOST) {
      evict(variants.get(0));
      variants = map.computeIfAbsent(entry.key, key -> new Variants());
    }
    variants.add(entry);
    for (String surrogate : entry.surrogates) {
      surrogates.computeIfAbsent(surrogate, key -> new HashSet<>()).add(entry);
    }
    count++;
    return true;
  }

  /** Adds a slice, and its object if that is not there. */
  private boolean addSlice(Entry slice) {
    Entry object = slice.object;
    if (object.slices.isRetired()) {
      return false;
    }
    Entry same = object.slices.get(slice.index);
    object.slices.add(slice); // so that the object stays while others make room
    if (same != null) {
      remove(same);
    }
    if ((object.isStored() || addObject(object)) && take(slice.overhead())) {
      return true;
    }
    object.slices.remove(slice);
    removeIdle(object);
    return false;
  }

  private boolean addObject(Entry object) {
    if (!add(object)) {
      return false;
    }
    object.cost = object.overhead();
    objects.add(object);
    return true;
  }

  private void removeIdle(Entry object) {
    if (object.isStored() && object.slices.isIdle()) {
      remove(object);
    }
  }

  /** Gives a slice from the disk to the object that the slices before it belong to. */
  private void unite(Entry slice) {
    Entry own = slice.object;
    Variants variants = map.get(slice.key);
    Entry same = variants == null ? null : variants.same(own);
    if (same == null
        || !same.isSliced()
        || !same.slices.grid().equals(own.slices.grid())
        || !Combining.areParts(same.response, own.response)) {
      return; // it is the first one, of the object that replaces the one before
    }
    slice.object = same;
    long newer = own.response.responseTime() - same.response.responseTime();
    if (newer > 0 || (newer == 0 && own.response.isInvalidated())) {
      charge(same, own.response);
    }
  }

  private void replace(Entry before) {
    if (before.isSliced()) {
      drop(before, Why.SLICES_CHANGED);
    } else {
      remove(before);
    }
  }

  @Override
  public void drop(Entry object, Why why) {
    tally.count(why);
    for (int i = object.slices.count(); i > 0; i--) {
      tally.count(Why.SLICE_DROPPED);
    }
    remove(object);
  }

  @Override
  public void update(Entry entry, StoredResponse response) {
    boolean news = !entry.response.isInvalidated() || !response.isInvalidated();
    boolean known = charge(entry, response);
    if (!known || !news) {
      return;
    }
    if (!entry.isSliced()) {
      shelf.update(entry);
    } else if (response.isInvalidated()) {
      entry.slices.all().forEach(shelf::update);
    } else {
      entry.slices.all().stream().limit(1).forEach(shelf::update); // the newest head counts
    }
  }

  @Override
  public void combine(Entry object, StoredResponse response) {
    boolean invalid = object.response.isInvalidated();
    charge(object, invalid ? response.invalidated() : response);
  }

  /** Gives an entry another head in memory, and tells whether it is stored. */
  private boolean charge(Entry entry, StoredResponse response) {
    Variants variants = entry.isStored() ? map.get(entry.key) : null;
    if (variants == null) {
      entry.response = response;
      return false;
    }
    long before = entry.overhead();
    variants.update(entry, response);
    long more = entry.overhead() - before;
    bytes += more;
    entry.list.charge(entry, more);
    return true;
  }

  @Override
  public void remove(Entry entry) {
    if (entry.isSliced()) {
      entry.slices.retire();
      entry.slices.all().forEach(this::removeStored);
    }
    removeStored(entry);
  }

  private void removeStored(Entry entry) {
    if (!entry.isStored()) {
      return;
    }
    entry.list.remove(entry);
    give(entry.overhead());
    if (entry.isSlice()) {
      entry.object.slices.remove(entry);
    } else {
      removeFromIndexes(entry);
    }
    shelf.forget(entry);
    if (entry.content != null) {
      entry.content.disown();
    }
    if (entry.isSlice()) {
      removeIdle(entry.object);
    }
  }

  private void removeFromIndexes(Entry entry) {
    Variants variants = map.get(entry.key);
    variants.remove(entry);
    if (variants.size() == 0) {
      map.remove(entry.key);
    }
    for (String surrogate : entry.surrogates) {
      Set<Entry> entries = surrogates.get(surrogate);
      entries.remove(entry);
      if (entries.isEmpty()) {
        surrogates.remove(surrogate);
      }
    }
    count--;
  }

  private void evict(Entry entry) {
    tally.count(Why.EVICTED);
    remove(entry);
  }

  @Override
  public int purge(Purge purge) {
    Set<Entry> named = new HashSet<>();
    for (Key key : purge.keys()) {
      Variants variants = map.get(key);
      for (int i = 0; variants != null && i < variants.size(); i++) {
        named.add(variants.get(i));
      }
    }
    for (String surrogate : purge.surrogates()) {
      named.addAll(surrogates.getOrDefault(surrogate, Set.of()));
    }
    if (!purge.prefixes().isEmpty()) {
      for (Variants variants : map.values()) {
        for (int i = 0; i < variants.size(); i++) {
          if (purge.names(variants.get(i).key, Set.of())) {
            named.add(variants.get(i));
          }
        }
      }
    }
    named.forEach(this::remove);
    return named.size();
  }

  @Override
  public void flush(Runnable then) {
    shelf.flush(then);
  }

  // ---- the room

  @Override
  public boolean take(long wanted) {
    int looks = 0;
    Entry next = probation.oldest();
    boolean probed = true;
    while (bytes + wanted > limit && looks++ < LOOKS) {
      if (next == null && probed) {
        probed = false;
        next = safe.oldest();
      }
      if (next == null) {
        break;
      }
      Entry entry = next;
      next = entry.newer;
      if (!entry.content.hasReaders()) {
        cool(entry);
      }
    }
    if (bytes + wanted > limit) {
      return false;
    }
    bytes += wanted;
    return true;
  }

  /** Takes the content of an entry out of the memory. */
  private void cool(Entry entry) {
    if (!shelf.has(entry)) {
      evict(entry);
      return;
    }
    tally.count(Why.COOLED);
    entry.list.remove(entry);
    Content content = entry.content;
    entry.content = null;
    entry.cost = entry.overhead();
    cold.add(entry);
    content.disown();
    boundCold(entry);
  }

  /** Evicts cold entries beyond their share of the memory. */
  private void boundCold(Entry last) {
    Entry next = cold.oldest();
    while (cold.cost() > limit / 100 * COLD_PERCENT && next != null && next != last) {
      Entry entry = next;
      next = entry.newer;
      if (entry.recalls == null) {
        evict(entry);
      }
    }
  }

  @Override
  public void give(long back) {
    bytes -= back;
  }

  // ---- the shelf

  @Override
  public boolean recall(Entry entry, Runnable then) {
    if (entry.recalls != null) {
      entry.recalls.add(then);
      return true;
    }
    long length = entry.place == null ? 0 : entry.place.length();
    entry.recalls = new ArrayList<>(1); // from here on the entry is not evicted
    if (!shelf.has(entry) || !take(length)) {
      entry.recalls = null;
      return false;
    }
    entry.recalls.add(then);
    shelf.read(entry, blocks -> recalled(entry, blocks, length));
    return true;
  }

  private void recalled(Entry entry, List<byte[]> blocks, long length) {
    List<Runnable> waiting = entry.recalls;
    entry.recalls = null;
    if (!entry.isStored()) {
      give(length); // somebody removed it meanwhile
    } else if (blocks == null) {
      give(length);
      tally.count(Why.DISK_DAMAGED);
      remove(entry);
    } else {
      tally.count(Why.RECALLED);
      cold.remove(entry);
      entry.content = Content.whole(this, blocks, length);
      entry.cost = entry.overhead() + length;
      probation.add(entry);
    }
    waiting.forEach(Runnable::run);
  }

  /** Hears that the shelf does not have an entry any more. */
  void lost(Entry entry) {
    if (entry.isStored() && entry.isCold()) {
      evict(entry);
    }
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long diskBytes() {
    return shelf.bytes();
  }
}
