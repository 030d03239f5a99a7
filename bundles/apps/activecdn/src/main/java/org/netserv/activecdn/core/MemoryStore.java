// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.http.cache.StoredResponse;
import org.netserv.packet.Tally;

/**
 * A store in the heap, bounded by bytes.
 *
 * <pre>
 *   put --> probation  --hit-->  protected (80 %)  --overflow--> probation --> evicted
 * </pre>
 *
 * Responses that are asked for once leave first (segmented LRU), so that a crawler does not drive
 * out what people read. A content that is being read is not evicted, because its bytes would stay.
 */
public final class MemoryStore implements Store {
  /** Entries looked at for one that nobody reads. */
  private static final int LOOKS = 128;

  private static final int PROTECTED_PERCENT = 80;

  private final long limit;
  private final Tally<Why> tally;
  private final Map<Key, Variants> map = new HashMap<>();
  private final Map<String, Set<Entry>> surrogates = new HashMap<>();
  private final Segment probation = new Segment();
  private final Segment safe = new Segment();
  private long bytes;
  private int count;

  /** Entries from the one used last to the one not used for longest. */
  private static final class Segment {
    Entry newest;
    Entry oldest;
    long cost;

    void add(Entry entry) {
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
      entry.newer = null;
      entry.older = null;
    }
  }

  /**
   * Makes an empty store.
   *
   * @param limit the most bytes
   */
  public MemoryStore(long limit, Tally<Why> tally) {
    this.limit = limit;
    this.tally = tally;
  }

  @Override
  public Variants find(Key key) {
    return map.get(key);
  }

  @Override
  public void touch(Entry entry) {
    if (!entry.isStored) {
      return;
    }
    segment(entry).remove(entry);
    entry.isProtected = true;
    safe.add(entry);
    while (safe.cost > limit / 100 * PROTECTED_PERCENT && safe.oldest != entry) {
      Entry demoted = safe.oldest;
      safe.remove(demoted);
      demoted.isProtected = false;
      probation.add(demoted);
    }
  }

  private Segment segment(Entry entry) {
    return entry.isProtected ? safe : probation;
  }

  @Override
  public boolean put(Entry entry) {
    Variants before = map.get(entry.key);
    Entry same = before == null ? null : before.same(entry);
    if (same != null) {
      remove(same);
    }
    long overhead = entry.overhead();
    if (!take(overhead)) {
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
    entry.isStored = true;
    entry.isProtected = false;
    entry.cost = overhead + entry.content.size();
    probation.add(entry);
    count++;
    return true;
  }

  @Override
  public void update(Entry entry, StoredResponse response) {
    Variants variants = entry.isStored ? map.get(entry.key) : null;
    if (variants == null) {
      entry.response = response;
      return;
    }
    long before = entry.overhead();
    variants.update(entry, response);
    long more = entry.overhead() - before;
    bytes += more;
    entry.cost += more;
    segment(entry).cost += more;
  }

  @Override
  public void remove(Entry entry) {
    if (!entry.isStored) {
      return;
    }
    entry.isStored = false;
    segment(entry).remove(entry);
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
    give(entry.overhead());
    entry.content.disown();
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
      for (Variants variants : all()) {
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

  private Collection<Variants> all() {
    List<Variants> all = new ArrayList<>(map.size());
    all.addAll(map.values());
    return all;
  }

  @Override
  public boolean take(long wanted) {
    int looks = 0;
    Entry next = probation.oldest;
    boolean probed = true;
    while (bytes + wanted > limit && looks++ < LOOKS) {
      if (next == null && probed) {
        probed = false;
        next = safe.oldest;
      }
      if (next == null) {
        break;
      }
      Entry entry = next;
      next = entry.newer;
      if (!entry.content.hasReaders()) {
        evict(entry);
      }
    }
    if (bytes + wanted > limit) {
      return false;
    }
    bytes += wanted;
    return true;
  }

  @Override
  public void give(long back) {
    bytes -= back;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public long bytes() {
    return bytes;
  }
}
