// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;

/**
 * One incarnation of a module: its order, its state, who waits for it. Written by {@link Modules},
 * on the loop.
 */
public final class ModuleLife {
  ModuleOrder order;
  ModuleState state = ModuleState.ACCEPTED;

  /** Where an undoing leads, and the answer that goes with it. */
  ModuleState end = ModuleState.FAILED;

  Answer outcome = new Answer(500, null, "ended without a reason");

  /** Whoever sent its SETUP, and whoever wants it gone. */
  final List<Consumer<Answer>> setups = new ArrayList<>();

  final List<Runnable> removals = new ArrayList<>();

  /** Hex digest of its bundle, null until it is stored. */
  String sha256;

  /** The agent was asked to install it, in this incarnation of the container or an earlier one. */
  boolean handedOver;

  boolean filtersWritten;

  /** Why it is quarantined, or was last. */
  String quarantine = "";

  static final Runnable NO_REFRESH = () -> {};

  /** Takes back the refreshes that it got on its way back, if it does not come up with them. */
  Runnable refused = NO_REFRESH;

  /** Released from its quarantine, and not installed anew yet: what a container has is the old. */
  boolean released;

  /** The last report that named it, until the container's end explains it. */
  String fault = "";

  String because = "";
  long since;
  Loop.Timer timer;

  ModuleLife(ModuleOrder order, long now) {
    this.order = order;
    this.sha256 = order.sha256().orElse(null);
    this.since = now;
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

  /** Wall clock of the last change of state. */
  public long since() {
    return since;
  }

  /** Why it is in its state. */
  public String because() {
    return because;
  }
}
