// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.netserv.controller.log.ModuleKey;

/** The places of all modules, by key. Lives on the loop. */
final class ModuleTable {
  private final Map<ModuleKey, ModuleSlot> slots = new TreeMap<>();

  /** Returns the place of a module, which it makes if there is none. */
  ModuleSlot place(ModuleKey key) {
    return slots.computeIfAbsent(key, k -> new ModuleSlot());
  }

  /**
   * Takes an incarnation out. Returns true if its module has no other, and so no place any more.
   */
  boolean drop(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    if (slot == null) {
      return false;
    }
    slot.drop(life);
    return slot.empty() && slots.remove(life.key(), slot);
  }

  Optional<ModuleSlot> find(ModuleKey key) {
    return Optional.ofNullable(slots.get(key));
  }

  Collection<ModuleSlot> slots() {
    return slots.values();
  }

  /** Returns the incarnation that has run; empty if there is none. */
  Optional<ModuleLife> active(ModuleKey key) {
    return find(key).map(slot -> slot.active);
  }

  /** Returns true if there is an incarnation of the module, in any state. */
  boolean present(ModuleKey key) {
    return slots.containsKey(key);
  }

  /** Returns the incarnations of a module, the one that is coming up first. */
  List<ModuleLife> livesOf(ModuleKey key) {
    return find(key).map(ModuleSlot::lives).orElse(List.of());
  }

  /** Returns all incarnations by key, the one that is coming up before the one that runs. */
  List<ModuleLife> lives() {
    return slots.values().stream().flatMap(s -> s.lives().stream()).toList();
  }

  List<ModuleLife> livesOf(String user) {
    return lives().stream().filter(l -> l.key().user().equals(user)).toList();
  }

  /**
   * Returns the reason why a SETUP for it has to wait: another SETUP is under way, or the module is
   * being removed. Empty if none has to wait.
   */
  Optional<String> busy(ModuleKey key) {
    ModuleSlot slot = slots.get(key);
    if (slot == null) {
      return Optional.empty();
    }
    if (slot.lives().stream().anyMatch(l -> l.state == ModuleState.REMOVING)) {
      return Optional.of("the module is being removed");
    }
    return slot.next == null
        ? Optional.empty()
        : Optional.of(
            "another SETUP of version "
                + slot.next.order.version()
                + " is under way ("
                + slot.next.state.text()
                + ")");
  }

  /**
   * Returns true if no other incarnation of this publisher's modules is left. The container then
   * goes.
   */
  boolean alone(ModuleLife life) {
    return livesOf(life.key().user()).stream().allMatch(l -> l == life);
  }

  /** Returns true if there is an incarnation that this one is to replace, in any state. */
  boolean isReplacement(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    return slot != null && slot.next == life && slot.active != null;
  }

  /** Returns true if the incarnation that this one is to replace is still meant to run. */
  boolean replaces(ModuleLife life) {
    return isReplacement(life) && slots.get(life.key()).active.state.established();
  }
}
