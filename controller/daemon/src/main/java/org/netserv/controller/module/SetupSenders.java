// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.log.LogRecord.Answer;

/** Tells the end of a SETUP to the senders that wait for it, and to its notification URL. */
final class SetupSenders {
  /**
   * Repetitions of a SETUP that hear of its end. Further repetitions are told that it is under way.
   */
  private static final int WAITING = 64;

  private final Jobs jobs;
  private final ModuleSettings settings;

  SetupSenders(Jobs jobs, ModuleSettings settings) {
    this.jobs = jobs;
    this.settings = settings;
  }

  /**
   * Adds {@code settled}, which hears the end state of the SETUP under way. Returns false if there
   * is none, or too many wait for it already.
   */
  boolean await(Optional<ModuleSlot> place, Consumer<Answer> settled) {
    if (place.isEmpty()) {
      return false;
    }
    ModuleSlot slot = place.get();
    List<Consumer<Answer>> waiting = (slot.next != null ? slot.next : slot.active).setups;
    boolean underWay = slot.next != null || !waiting.isEmpty();
    if (!underWay || waiting.size() >= WAITING) {
      return false;
    }
    waiting.add(settled);
    return true;
  }

  /** Tells the senders that wait, and the notification URL, if a sender waits. */
  void settleWaiting(ModuleLife life, Answer answer) {
    if (!life.setups.isEmpty()) {
      settle(life, answer);
    }
  }

  /** Tells the senders that wait, and the notification URL. */
  void settle(ModuleLife life, Answer answer) {
    List<Consumer<Answer>> waiting = List.copyOf(life.setups);
    life.setups.clear();
    Answer toSetups =
        life.state == ModuleState.REMOVED
            ? new Answer(409, null, "removed before it ran: " + answer.reason())
            : answer;
    waiting.forEach(w -> w.accept(toSetups));
    life.order
        .notice(settings.nodeId(), answer.status(), life.state.text() + ": " + answer.reason())
        .ifPresent(jobs::tell);
  }
}
