// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;

/** Modules that throw so often that no packet is shown to them any more. On the loop. */
final class Quarantines {
  private final ModuleDriver driver;
  private final ModuleTable modules;
  private final ModuleRecords records;
  private final ModuleSteps steps;
  private final SetupSenders senders;

  Quarantines(
      ModuleDriver driver,
      ModuleTable modules,
      ModuleRecords records,
      ModuleSteps steps,
      SetupSenders senders) {
    this.driver = driver;
    this.modules = modules;
    this.records = records;
    this.steps = steps;
    this.senders = senders;
  }

  /** Does the work of {@link ModuleDriver#quarantine}. */
  void begin(ModuleKey key, String sha256, String reason) {
    for (ModuleLife life : modules.livesOf(key)) {
      boolean meant = life.handedOver && sha256.equals(life.sha256) && !life.released;
      if (meant && life.state != ModuleState.QUARANTINED) {
        driver.fail(life, ModuleEvent.QUARANTINE, new Answer(424, null, "quarantined: " + reason));
      }
    }
  }

  /** Returns the reason why the module that is there is quarantined; empty if it is not. */
  Optional<String> reason(ModuleKey key) {
    return modules
        .active(key)
        .filter(life -> life.state == ModuleState.QUARANTINED)
        .map(life -> life.quarantine);
  }

  /** Takes the filters of a module away that has just been quarantined, and records it. */
  void isolate(ModuleLife life) {
    life.outcome = new Answer(503, null, life.because);
    if (records.quarantined(life)) {
      senders.settle(life, life.outcome);
    }
    steps.isolate(life);
  }

  /** Does the work of {@link Modules#release}. */
  Optional<Answer> release(ModuleKey key, Consumer<Answer> settled) {
    if (reason(key).isEmpty()) {
      return Optional.of(new Answer(409, null, "the module is not quarantined"));
    }
    Optional<String> busy = modules.busy(key);
    if (busy.isPresent()) {
      return Optional.of(new Answer(409, null, busy.get()));
    }
    if (!records.released(key)) {
      return Optional.of(new Answer(503, null, "this node cannot write its log; nothing was done"));
    }
    ModuleLife life = modules.active(key).orElseThrow();
    life.released = true;
    life.setups.add(settled);
    driver.fire(life, ModuleEvent.RELEASE, "released by the operator");
    return Optional.empty();
  }
}
