// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.netserv.controller.container.ContainerListener;
import org.netserv.controller.container.Containers;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.process.ForeignText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the news of a container into events of the modules that it has or is to have. On the loop.
 */
final class ContainerNews implements ContainerListener {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerNews.class);

  /** The fault of a module that has run and does not start again in its time. */
  private static final String LATE = "late";

  /** Faults that end the container. */
  private static final Set<String> DEADLY = Set.of("exit", "oom", "crash", "stuck", "misuse", LATE);

  private final Loop loop;
  private final ModuleDriver modules;
  private final ModuleTable table;
  private final CrashCount crashes;
  private final Containers containers;
  private final ModuleSteps steps;
  private final Standby standby;

  ContainerNews(
      Loop loop,
      ModuleDriver modules,
      ModuleTable table,
      CrashCount crashes,
      Containers containers,
      ModuleSteps steps,
      Standby standby) {
    this.loop = loop;
    this.modules = modules;
    this.table = table;
    this.crashes = crashes;
    this.containers = containers;
    this.steps = steps;
    this.standby = standby;
  }

  @Override
  public void ready(String user, Map<String, String> running) {
    Set<String> known = new HashSet<>();
    for (ModuleLife life : table.livesOf(user)) {
      known.add(life.key().module());
    }
    List<String> surplus = running.keySet().stream().filter(m -> !known.contains(m)).toList();
    if (!surplus.isEmpty()) {
      // Logs one line, however many names a container makes up.
      LOG.info(
          "container {}: {} modules that nobody wants are removed, the first is {}",
          user,
          surplus.size(),
          surplus.get(0));
      surplus.forEach(m -> steps.removeSurplus(user, m));
    }
    standby.review(user);
    if (known.isEmpty()) {
      if (!standby.keeps(user)) {
        containers.release(user, () -> {});
      }
      return;
    }
    // Modules that ran before come first, so that a new version finds its predecessor in place.
    List<ModuleLife> order = new ArrayList<>(table.livesOf(user));
    order.sort((a, b) -> Boolean.compare(a.state.comingUp(), b.state.comingUp()));
    for (ModuleLife life : order) {
      boolean has =
          !life.released
              && life.sha256 != null
              && life.sha256.equals(running.get(life.key().module()));
      life.handedOver |= has;
      if (has && life.state == ModuleState.RECOVERING) {
        // A refresh may have been accepted while there was no agent to tell.
        modules.configure(life);
      }
      modules.fire(
          life,
          has ? ModuleEvent.CONTAINER_HAS_IT : ModuleEvent.CONTAINER_READY,
          "the container is ready");
    }
  }

  @Override
  public void lost(String user, String why) {
    standby.lost(user);
    if (table.livesOf(user).stream().anyMatch(life -> life.state == ModuleState.REMOVING)) {
      containers.forgetRelays(user);
    }
    for (ModuleLife life : table.livesOf(user)) {
      String fault = life.fault.isEmpty() ? "" : " (" + life.fault + ")";
      life.fault = "";
      life.handedOver &= life.state != ModuleState.QUARANTINED;
      modules.fail(
          life, ModuleEvent.CONTAINER_LOST, new Answer(500, null, "the container " + why + fault));
    }
  }

  @Override
  public void failed(String user, String why) {
    standby.lost(user);
    String reason = ForeignText.bounded("the container: " + why);
    for (ModuleLife life : table.livesOf(user)) {
      modules.fail(life, ModuleEvent.CONTAINER_FAILED, new Answer(503, null, reason));
      if (life.state == ModuleState.RECOVERING && !life.because.equals(reason)) {
        modules.note(life, reason); // The module waits on, and people want the reason.
      }
    }
  }

  @Override
  public void quarantined(String user, String module, String sha256, String reason) {
    modules.quarantine(new ModuleKey(user, module), sha256, reason);
  }

  @Override
  public void fault(String user, String kind, String module, String text) {
    LOG.warn("container {}: {} {}: {}", user, kind, module, text);
    for (ModuleKey key : blamed(user, kind, module)) {
      blame(key, kind, text);
    }
  }

  /**
   * Returns the modules to blame. The container's socket does not tell its modules apart, so all of
   * them are to blame for a misuse.
   */
  private Set<ModuleKey> blamed(String user, String kind, String module) {
    return kind.equals("misuse")
        ? table.livesOf(user).stream().map(ModuleLife::key).collect(Collectors.toSet())
        : Set.of(new ModuleKey(user, module));
  }

  private void blame(ModuleKey key, String kind, String text) {
    List<ModuleLife> lives = table.livesOf(key);
    if (lives.isEmpty()) {
      // The container made the name up. It must not push other modules' history out.
      return;
    }
    blame(lives.get(0), kind, text);
  }

  private void blame(ModuleLife life, String kind, String text) {
    life.fault = ForeignText.bounded(kind + ": " + text);
    modules.note(life, life.fault);
    if (DEADLY.contains(kind) && crashes.add(life.key(), loop.monotonic())) {
      String why =
          "crash loop: its container ended because of it "
              + CrashCount.LIMIT
              + " times in "
              + CrashCount.WITHIN / 60_000
              + " minutes, the last time by "
              + life.fault;
      table
          .livesOf(life.key())
          .forEach(l -> modules.fail(l, ModuleEvent.CRASH_LOOP, new Answer(500, null, why)));
    }
  }

  /**
   * Starts the container again, because a module that has run did not start in its time. Counts the
   * late start as a crash of the container. The fault that reaches the limit ends the module and
   * spares the container.
   */
  void late(ModuleLife life, String why) {
    blame(life, LATE, why);
    if (life.state == ModuleState.RECOVERING) {
      containers.restart(
          life.key().user(), "is started again: " + life.key().module() + ": " + why);
    }
  }
}
