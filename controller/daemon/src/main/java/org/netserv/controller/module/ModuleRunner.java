// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.process.ForeignText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Feeds {@link ModuleMachine} with events, and lets others do its actions. On the loop. */
final class ModuleRunner implements ModuleDriver {
  /** The name that a reader of the log knows. */
  private static final Logger LOG = LoggerFactory.getLogger(Modules.class);

  /** The memory of the modules: places, events, records of the log, and bundles. */
  record Memory(
      ModuleTable table, ModuleHistory history, ModuleRecords records, StoredBundles bundles) {}

  private final Loop loop;
  private final Memory memory;
  private final SetupSenders senders;
  private final ModuleSteps steps;
  private final ModuleRefresh refreshes;
  private final Quarantines quarantines;
  private final ModuleEnd end;
  private final ContainerNews news;

  ModuleRunner(
      Loop loop,
      Memory memory,
      ModuleWorkers workers,
      FilterPlane plane,
      SetupSenders senders,
      FetchedBundles fetched,
      Standby standby) {
    this.loop = loop;
    this.memory = memory;
    this.senders = senders;
    ModuleTable table = memory.table();
    ModuleRecords records = memory.records();
    CrashCount crashes = new CrashCount();
    steps =
        new ModuleSteps(
            loop, this, table, workers.containers(), plane, memory.bundles(), fetched, standby);
    refreshes = new ModuleRefresh(loop, this, table, steps, senders, plane);
    quarantines = new Quarantines(this, table, records, steps, senders);
    end = new ModuleEnd(this, table, records, memory.bundles(), senders, crashes, standby);
    news = new ContainerNews(loop, this, table, crashes, workers.containers(), steps, standby);
  }

  ContainerNews news() {
    return news;
  }

  ModuleRefresh refreshes() {
    return refreshes;
  }

  Quarantines quarantines() {
    return quarantines;
  }

  @Override
  public void configure(ModuleLife life) {
    refreshes.configure(life);
  }

  @Override
  public boolean refuseRefresh(ModuleLife life, Answer why) {
    return refreshes.refuse(life, why);
  }

  @Override
  public void quarantine(ModuleKey key, String sha256, String reason) {
    quarantines.begin(key, sha256, reason);
  }

  @Override
  public void remove(ModuleKey key, ModuleState wanted, Answer why, Runnable gone) {
    List<ModuleLife> lives = memory.table().livesOf(key);
    if (lives.isEmpty()) {
      loop.execute(gone);
      return;
    }
    int[] left = {lives.size()};
    ModuleEvent event = wanted == ModuleState.REMOVED ? ModuleEvent.REMOVE : ModuleEvent.EXPIRE;
    for (ModuleLife life : lives) {
      life.removals.add(
          () -> {
            if (--left[0] == 0) {
              gone.run();
            }
          });
      finishWith(life, wanted, why);
      fire(life, event, why.reason());
    }
  }

  @Override
  public void fail(ModuleLife life, ModuleEvent event, Answer why) {
    finishWith(life, ModuleState.FAILED, why);
    fire(life, event, why.reason());
  }

  private static void finishWith(ModuleLife life, ModuleState wanted, Answer why) {
    if (life.state != ModuleState.REMOVING && !life.state.ended()) {
      life.end = wanted;
      life.outcome = why;
    }
  }

  @Override
  public void fire(ModuleLife life, ModuleEvent event, String why) {
    ModuleMachine.Step step = ModuleMachine.on(life.state, event, life.end);
    if (step.action() == ModuleAction.UNEXPECTED) {
      LOG.warn("module {}: {} in state {}: {}", life.key(), event, life.state, why);
      return;
    }
    if (step.next() != life.state) {
      if (step.next() == ModuleState.QUARANTINED) {
        life.quarantine = ForeignText.bounded(why);
      }
      life.cancelTimer();
      life.state = step.next();
      life.since = loop.wall();
      note(life, why);
    }
    switch (step.action()) {
      case FETCH -> steps.fetch(life);
      case AWAIT_CONTAINER -> steps.awaitContainer(life);
      case INSTALL -> steps.install(life);
      case RESTART_CONTAINER -> news.late(life, why);
      case WRITE_FILTERS -> steps.writeFilters(life);
      case ANNOUNCE -> announce(life);
      case SETTLE -> {
        if (life.refused == ModuleLife.NO_REFRESH) {
          senders.settleWaiting(life, new Answer(200, null, "running"));
        }
      }
      case ISOLATE -> quarantines.isolate(life);
      case UNDO -> steps.undo(life);
      case FINISH -> end.finish(life);
      case NOTHING, UNEXPECTED -> {}
    }
  }

  @Override
  public void note(ModuleLife life, String why) {
    String bounded = ForeignText.bounded(why);
    life.because = life.state == ModuleState.QUARANTINED ? life.quarantine : bounded;
    memory.history().add(life.key(), loop.wall(), life.state.text(), bounded);
    LOG.info("module {} {}: {}: {}", life.key(), life.order.version(), life.state.text(), bounded);
  }

  private void announce(ModuleLife life) {
    ModuleSlot slot = memory.table().place(life.key());
    ModuleLife old = slot.active;
    slot.next = null;
    slot.active = life;
    memory.records().running(life);
    if (old != null) {
      fire(old, ModuleEvent.SUPERSEDED, "version " + life.order.version() + " runs in its place");
    }
    String was = old == null ? "" : ", in place of " + old.order.version();
    senders.settle(life, new Answer(200, null, "running" + was));
  }
}
