// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.controller.log.ModuleKey;
import org.netserv.process.ForeignText;

/**
 * Events of modules, for {@code why}. Bounded in each direction: 64 entries for each module, 64
 * modules of a publisher, 1024 modules in all, and the text of an entry. The module that changed
 * longest ago goes first. In memory only, because the log tells the rest.
 */
public final class ModuleHistory {
  private static final int ENTRIES = 64;
  private static final int MODULES = 1024;

  /** A publisher that sends ever new names pushes out its own history, not that of others. */
  private static final int MODULES_OF_USER = 64;

  /**
   * One event.
   *
   * @param time wall clock, milliseconds since 1970
   * @param limit the limit that was met; empty for an event of the module itself
   */
  public record Entry(long time, String state, String reason, String limit) {
    public Entry {
      reason = ForeignText.bounded(reason);
    }
  }

  private final Map<ModuleKey, Deque<Entry>> rings = new LinkedHashMap<>();

  public void add(ModuleKey key, long time, String state, String reason) {
    add(key, new Entry(time, state, reason, ""));
  }

  /**
   * Adds a limit that was met. Only the last entry of a limit stays, because a limit that is met
   * again and again must not push out the events of the module.
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
      makeRoom(key.user());
    }
    rings.put(key, ring);
    ring.addLast(entry);
    if (ring.size() > ENTRIES) {
      ring.removeFirst();
    }
  }

  private void makeRoom(String user) {
    List<ModuleKey> own = rings.keySet().stream().filter(k -> k.user().equals(user)).toList();
    if (own.size() >= MODULES_OF_USER) {
      rings.remove(own.get(0));
    } else if (rings.size() >= MODULES) {
      rings.remove(rings.keySet().iterator().next());
    }
  }

  /** Returns the events of a module, oldest first; empty for an unknown module. */
  public List<Entry> of(ModuleKey key) {
    Deque<Entry> ring = rings.get(key);
    return ring == null ? List.of() : List.copyOf(ring);
  }

  /** Returns all modules of that name, of one user or of any if {@code user} is null. */
  public List<ModuleKey> find(String module, String user) {
    return rings.keySet().stream()
        .filter(k -> k.module().equals(module) && (user == null || k.user().equals(user)))
        .toList();
  }
}
