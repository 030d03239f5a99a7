// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.List;

/**
 * The place of one (user, module): what runs there, and what is to take its place. At least one of
 * the two, else it is dropped.
 */
final class ModuleSlot {
  /** Has run. */
  ModuleLife active;

  /** Coming up; takes the place of {@code active} when it runs. */
  ModuleLife next;

  /** The new one first: it is the one to be undone first. */
  List<ModuleLife> lives() {
    List<ModuleLife> lives = new ArrayList<>(2);
    if (next != null) {
      lives.add(next);
    }
    if (active != null) {
      lives.add(active);
    }
    return lives;
  }

  void drop(ModuleLife life) {
    if (next == life) {
      next = null;
    }
    if (active == life) {
      active = null;
    }
  }

  boolean empty() {
    return active == null && next == null;
  }

  /**
   * The life whose filters the kernel should have: the one that is in the container, or is meant to
   * be.
   */
  ModuleLife filtered() {
    if (next != null && next.state == ModuleState.CLAIMING) {
      return next;
    }
    return active != null && active.state.established() ? active : null;
  }
}
