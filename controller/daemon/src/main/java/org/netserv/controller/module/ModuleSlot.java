// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.List;

/**
 * The place of one (user, module): the incarnation that runs, and the incarnation that is to
 * replace it. A place without either is dropped.
 */
final class ModuleSlot {
  /** The incarnation that has run. */
  ModuleLife active;

  /** The incarnation that is coming up. It takes the place of {@code active} when it runs. */
  ModuleLife next;

  /** Returns the incarnations, the new one first, because it is undone first. */
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
   * Tells whether an incarnation is in the container and has started, so that it answers
   * connections. Connections have no queue that lets them by until then.
   */
  boolean answers(ModuleLife life) {
    boolean up = life.state == ModuleState.RUNNING || life.state == ModuleState.CLAIMING;
    return up && (next == null || next == life || next.state != ModuleState.INSTALLING);
  }

  /**
   * Returns the incarnation that the kernel should have filters for: the one that is in the
   * container, or is meant to be.
   */
  ModuleLife filtered() {
    if (next != null && (next.state == ModuleState.CLAIMING || next.claimsEarly(active))) {
      return next;
    }
    return active != null && active.state.established() ? active : null;
  }
}
