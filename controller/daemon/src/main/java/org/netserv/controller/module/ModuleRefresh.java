// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.loop.Loop;

/**
 * New properties and filters for modules that are there. A module that refuses them has its
 * settings of before again. On the loop.
 */
final class ModuleRefresh {
  private final Loop loop;
  private final ModuleDriver driver;
  private final ModuleTable modules;
  private final ModuleSteps steps;
  private final SetupSenders senders;
  private final FilterPlane plane;

  ModuleRefresh(
      Loop loop,
      ModuleDriver driver,
      ModuleTable modules,
      ModuleSteps steps,
      SetupSenders senders,
      FilterPlane plane) {
    this.loop = loop;
    this.driver = driver;
    this.modules = modules;
    this.steps = steps;
    this.senders = senders;
    this.plane = plane;
  }

  /** Does the work of {@link Modules#refresh}. */
  void refresh(ModuleOrder by, Consumer<Answer> done, Runnable undo) {
    Optional<ModuleLife> active = modules.active(by.key());
    if (active.isEmpty()) {
      loop.execute(() -> done.accept(new Answer(409, null, "the module is not running")));
      return;
    }
    ModuleLife life = active.get();
    ModuleOrder before = life.order;
    boolean same = before.sameSettings(by);
    life.order = before.refreshed(by);
    life.setups.add(done);
    life.refused = same ? life.refused : chain(life, before, undo);
    driver.note(life, "refreshed by a SETUP");
    if (life.state != ModuleState.RUNNING) {
      return; // It is on its way back, with the new order; whoever waits hears of it then.
    }
    if (same && life.refused == ModuleLife.NO_REFRESH) {
      loop.execute(() -> senders.settleWaiting(life, new Answer(200, null, "refreshed")));
    } else if (!same) {
      configure(life);
    }
  }

  private static Runnable chain(ModuleLife life, ModuleOrder before, Runnable undo) {
    Runnable earlier = life.refused;
    return () -> {
      life.order = before;
      undo.run();
      earlier.run();
    };
  }

  /** Does the work of {@link Modules#regrant}. */
  void regrant(ModuleLife life, ModuleOrder by) {
    life.order = life.order.refreshed(by);
    driver.note(life, "policy grants it other filters");
    plane.rewrite();
    if (life.state == ModuleState.RUNNING) {
      configure(life);
    }
  }

  /** Does the work of {@link ModuleDriver#refuseRefresh}. */
  boolean refuse(ModuleLife life, Answer why) {
    Runnable refused = life.refused;
    life.refused = ModuleLife.NO_REFRESH;
    if (refused == ModuleLife.NO_REFRESH) {
      return false;
    }
    refused.run();
    driver.note(life, "not with its new settings: " + why.reason());
    senders.settleWaiting(life, why);
    return true;
  }

  /** Does the work of {@link ModuleDriver#configure}. */
  void configure(ModuleLife life) {
    ModuleOrder sent = life.order;
    steps.configure(life, answer -> configured(life, sent, answer));
  }

  private void configured(ModuleLife life, ModuleOrder sent, Answer answer) {
    driver.note(life, "configured: " + answer.reason());
    if (!sent.sameSettings(life.order)) {
      return; // Newer settings are on their way to it, and their answer counts for all.
    }
    if (answer.status() == 200) {
      life.refused = ModuleLife.NO_REFRESH;
      senders.settleWaiting(life, answer);
    } else if (life.state != ModuleState.REMOVING
        && !life.state.ended()
        && refuse(life, answer)
        && life.state == ModuleState.RUNNING) {
      steps.configure(life, back -> asBefore(life, back));
    }
  }

  /** Installs a module anew that works neither with the new settings nor with the old ones. */
  private void asBefore(ModuleLife life, Answer back) {
    driver.note(life, "as before: " + back.reason());
    if (back.status() != 200 && life.state == ModuleState.RUNNING) {
      driver.fire(life, ModuleEvent.BRING_BACK, "it is not as before: " + back.reason());
    }
  }
}
