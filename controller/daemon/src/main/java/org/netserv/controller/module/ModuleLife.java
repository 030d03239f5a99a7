// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;

/**
 * One incarnation of a module: its order, its state, and the senders that wait for it. {@link
 * Modules} writes it, on the loop.
 */
public final class ModuleLife {
  ModuleOrder order;
  ModuleState state = ModuleState.ACCEPTED;

  /** The end state of an undoing. {@link #outcome} is the answer for it. */
  ModuleState end = ModuleState.FAILED;

  Answer outcome = new Answer(500, null, "ended without a reason");

  /** The senders of its SETUP. {@link #removals} are the tasks that wait for its end. */
  final List<Consumer<Answer>> setups = new ArrayList<>();

  final List<Runnable> removals = new ArrayList<>();

  /** Hex digest of its bundle, null until it is stored. */
  String sha256;

  /**
   * True if the agent was asked to install it, in this incarnation of the container or an earlier
   * one.
   */
  boolean handedOver;

  boolean filtersWritten;

  /**
   * Writes its filters before the agent has installed it; null if nothing has been written so
   * early.
   */
  EarlyFilters early;

  /** The reason of its quarantine, or of the last one. */
  String quarantine = "";

  static final Runnable NO_REFRESH = () -> {};

  /** Takes back the refreshes since it ran last, if it does not come up with them. */
  Runnable refused = NO_REFRESH;

  /**
   * True from its release from quarantine until it is installed anew. A container has only the old
   * installation meanwhile.
   */
  boolean released;

  /** The last fault that named it, until the container's end explains it. */
  String fault = "";

  String because = "";
  long since;
  Loop.Timer timer;

  ModuleLife(ModuleOrder order, long now) {
    this.order = order;
    this.sha256 = order.sha256().orElse(null);
    this.since = now;
  }

  /** Returns true while it has a verified bundle and is not installed for the first time yet. */
  boolean isEarly() {
    return state == ModuleState.STARTING_CONTAINER || state == ModuleState.INSTALLING;
  }

  /**
   * Returns true if the kernel should have its filters although it is not installed yet. An
   * incarnation that runs keeps its own until then.
   */
  boolean claimsEarly(ModuleLife active) {
    return early != null && isEarly() && active == null;
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  public ModuleKey key() {
    return order.key();
  }

  public ModuleOrder order() {
    return order;
  }

  public ModuleState state() {
    return state;
  }

  /** Returns the wall clock of the last change of state. */
  public long since() {
    return since;
  }

  /** Returns the reason for its present state. */
  public String because() {
    return because;
  }
}
