// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.controller.log.ModuleKey;

/**
 * Why modules are in the state they are in: the last events of each, for {@code why}. Bounded in
 * both directions: 64 entries for each module, 1024 modules, of which the one changed longest ago
 * goes first. In memory only; the log tells the rest.
 */
public final class ModuleHistory {
  private static final int ENTRIES = 64;
  private static final int MODULES = 1024;

  /**
   * One event.
   *
   * @param time wall clock, milliseconds since 1970
   * @param limit the limit that was met; empty for an event of the module's own
   */
  public record Entry(long time, String state, String reason, String limit) {}

  private final Map<ModuleKey, Deque<Entry>> rings = new LinkedHashMap<>();

  public void add(ModuleKey key, long time, String state, String reason) {
    add(key, new Entry(time, state, reason, ""));
  }

  /**
   * A limit was met. Only the last time stays: one that is met again and again must not push out
   * what happened to the module.
   */
  public void addLimit(ModuleKey key, long time, String state, String limit, String reason) {
    Deque<Entry> ring = rings.get(key);
    if (ring != null) {
      ring.removeIf(entry -> entry.limit().equals(limit));
    }
    add(key, new Entry(time, state, reason, limit));
  }

  private void add(ModuleKey key, Entry entry) {
    Deque<Entry> ring = rings.remove(key);
    if (ring == null) {
      ring = new ArrayDeque<>();
    }
    rings.put(key, ring);
    if (rings.size() > MODULES) {
      rings.remove(rings.keySet().iterator().next());
    }
    ring.addLast(entry);
    if (ring.size() > ENTRIES) {
      ring.removeFirst();
    }
  }

  /** Oldest first; empty for an unknown module. */
  public List<Entry> of(ModuleKey key) {
    Deque<Entry> ring = rings.get(key);
    return ring == null ? List.of() : List.copyOf(ring);
  }

  /** All modules of that name, of one user or of any if {@code user} is null. */
  public List<ModuleKey> find(String module, String user) {
    return rings.keySet().stream()
        .filter(k -> k.module().equals(module) && (user == null || k.user().equals(user)))
        .toList();
  }
}
