// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import org.netserv.controller.log.LogRecord.Answer;

/** The end of a life: its record, its bundle, and those that hear of it. On the loop. */
final class ModuleEnd {
  private final ModuleDriver driver;
  private final ModuleTable modules;
  private final ModuleRecords records;
  private final StoredBundles bundles;
  private final SetupSenders senders;
  private final CrashCount crashes;
  private final Standby standby;

  ModuleEnd(
      ModuleDriver driver,
      ModuleTable modules,
      ModuleRecords records,
      StoredBundles bundles,
      SetupSenders senders,
      CrashCount crashes,
      Standby standby) {
    this.driver = driver;
    this.modules = modules;
    this.records = records;
    this.bundles = bundles;
    this.senders = senders;
    this.crashes = crashes;
    this.standby = standby;
  }

  /** Ends a life of which everything is undone. */
  void finish(ModuleLife life) {
    boolean wasNext = modules.find(life.key()).filter(slot -> slot.next == life).isPresent();
    if (modules.drop(life)) {
      crashes.forget(life.key());
    }
    ModuleLife survivor = wasNext ? modules.active(life.key()).orElse(null) : null;
    if (life.state == ModuleState.FAILED) {
      records.failed(life, wasNext);
    }
    Answer answer = survivor == null ? life.outcome : survived(life, survivor);
    bundles.sweep();
    if (life.state == ModuleState.REPLACED) {
      senders.settleWaiting(life, new Answer(409, null, "replaced before it ran again"));
    } else {
      senders.settle(life, answer);
    }
    standby.review(life.key().user());
    List<Runnable> removals = List.copyOf(life.removals);
    life.removals.clear();
    removals.forEach(Runnable::run);
  }

  /** Lets the incarnation go on that was to be replaced. Returns the answer to the attempt. */
  private Answer survived(ModuleLife life, ModuleLife survivor) {
    Answer answer = life.outcome;
    boolean out = survivor.state == ModuleState.QUARANTINED;
    if (out || survivor.state.established()) {
      String how = out ? " stays quarantined" : " stays";
      answer =
          new Answer(
              answer.status(),
              answer.header(),
              answer.reason() + "; version " + survivor.order.version() + how);
      if (life.handedOver && survivor.state.established()) {
        driver.fire(survivor, ModuleEvent.BRING_BACK, "the attempt to replace it has failed");
      }
    }
    if (records.desired(life.key()).isEmpty()) {
      // Its last claim ran out while the attempt was under way.
      Answer why = new Answer(410, "ttl", "its last claim ran out");
      driver.remove(life.key(), ModuleState.EXPIRED, why, () -> {});
    }
    return answer;
  }
}
