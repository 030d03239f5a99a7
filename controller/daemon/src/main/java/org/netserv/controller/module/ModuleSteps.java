// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.container.Agent;
import org.netserv.controller.container.AgentOrder;
import org.netserv.controller.container.AgentReply;
import org.netserv.controller.container.Containers;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.filter.FlowFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actions of {@link ModuleMachine}. Each action starts something and comes back as an event.
 * Nothing here waits.
 */
final class ModuleSteps {
  private static final Logger LOG = LoggerFactory.getLogger(ModuleSteps.class);

  /** Milliseconds that a module on its way up waits for its container. */
  static final long CONTAINER_MILLIS = 45_000;

  /**
   * Milliseconds for an install. The agent has its own, shorter limit for a start that hangs, so
   * this limit is for an agent that hangs itself.
   */
  static final long INSTALL_MILLIS = 60_000;

  static final long UNINSTALL_MILLIS = 15_000;

  private final Loop loop;
  private final ModuleDriver modules;
  private final ModuleTable table;
  private final Containers containers;
  private final FilterPlane plane;
  private final StoredBundles store;
  private final FetchedBundles fetched;
  private final Standby standby;

  ModuleSteps(
      Loop loop,
      ModuleDriver modules,
      ModuleTable table,
      Containers containers,
      FilterPlane plane,
      StoredBundles store,
      FetchedBundles fetched,
      Standby standby) {
    this.loop = loop;
    this.modules = modules;
    this.table = table;
    this.containers = containers;
    this.plane = plane;
    this.store = store;
    this.fetched = fetched;
    this.standby = standby;
  }

  void fetch(ModuleLife life) {
    fetched.obtain(life.order, outcome -> fetched(life, outcome));
    String user = life.key().user();
    if (containers.agent(user).isEmpty() && containers.sparesWaiting() > 0) {
      // A spare is taken in little time, and that little passes while the bundle is fetched.
      containers.need(user);
    }
  }

  private void fetched(ModuleLife life, FetchOutcome outcome) {
    if (outcome.ok()) {
      life.sha256 = outcome.sha256();
      store.unpin(life.sha256);
      modules.fire(life, ModuleEvent.FETCHED, "fetched and verified, sha256 " + outcome.sha256());
    } else {
      Answer why = new Answer(outcome.status(), outcome.header(), outcome.reason());
      modules.fail(life, ModuleEvent.FETCH_FAILED, why);
    }
    if (life.state.ended()) {
      store.sweep(); // It came too late: nobody needs the bundle any more.
    }
  }

  void awaitContainer(ModuleLife life) {
    String user = life.key().user();
    leaveConnections(life);
    if (life.state == ModuleState.STARTING_CONTAINER) {
      life.timer =
          loop.after(
              CONTAINER_MILLIS,
              () ->
                  modules.fail(
                      life,
                      ModuleEvent.CONTAINER_FAILED,
                      new Answer(
                          504,
                          null,
                          "the container was not ready in " + CONTAINER_MILLIS / 1000 + " s")));
    }
    ModuleState waiting = life.state;
    if (containers.agent(user).isPresent()) {
      loop.execute(
          () -> {
            // The container's own news may have come in between, and knows more.
            if (life.state == waiting && containers.agent(user).isPresent()) {
              modules.fire(life, ModuleEvent.CONTAINER_READY, "the container is ready");
            }
          });
    } else {
      containers.need(user);
      writeEarly(life);
    }
  }

  void install(ModuleLife life) {
    Optional<Agent> agent = containers.agent(life.key().user());
    if (agent.isEmpty()) {
      // The news that the agent is lost is on the loop already, behind this event.
      loop.execute(
          () ->
              modules.fail(
                  life,
                  ModuleEvent.CONTAINER_LOST,
                  new Answer(500, null, "the container is gone")));
      return;
    }
    Path jar = store.path(life.sha256);
    long size;
    try {
      size = Files.size(jar);
    } catch (IOException e) {
      Answer why = new Answer(500, null, "stored bundle: " + e.getMessage());
      loop.execute(() -> modules.fail(life, ModuleEvent.INSTALL_FAILED, why));
      return;
    }
    leaveConnections(life);
    life.handedOver = true;
    Agent asked = agent.get();
    ModuleOrder order = life.order;
    boolean held = standby.take(order.key(), life.sha256, asked);
    asked.change(
        AgentOrder.install(
            order.key().module(),
            new AgentOrder.Bundle(order.version(), life.sha256, held ? 0 : size),
            settings(order)),
        held ? null : jar,
        INSTALL_MILLIS,
        reply -> installed(life, order, asked, reply));
    writeEarly(life);
  }

  /**
   * Has connections go on to their destination while the module cannot answer them. They come back
   * when its filters are written.
   */
  private void leaveConnections(ModuleLife life) {
    if (table.livesOf(life.key()).stream().anyMatch(ModuleSteps::hasTaken)) {
      plane.rewrite();
    }
  }

  private static boolean hasTaken(ModuleLife life) {
    return life.filtersWritten && life.order.filters().stream().anyMatch(FlowFilter::takes);
  }

  private static AgentOrder.Settings settings(ModuleOrder order) {
    return new AgentOrder.Settings(order.properties(), order.filters());
  }

  private void installed(ModuleLife life, ModuleOrder order, Agent asked, AgentReply reply) {
    if (!isAgent(life, asked)) {
      // The container went meanwhile. The news of its loss has come, or will come.
      return;
    }
    if (reply.ok()) {
      life.released = false;
      if (order.sameSettings(life.order)) {
        life.refused = ModuleLife.NO_REFRESH;
      } else {
        // A refresh or a reload came in between.
        modules.configure(life);
      }
      modules.fire(life, ModuleEvent.INSTALLED, "installed and started");
      return;
    }
    boolean silent = reply.silent();
    // A file system that is full has room again when its modules end, or delete files.
    boolean late = silent || reply.timedOut() || reply.noRoom();
    int status = reply.status().orElse(late ? 504 : 500);
    Answer why = new Answer(status, null, reply.reason());
    boolean asBefore =
        !silent && life.state == ModuleState.REINSTALLING && modules.refuseRefresh(life, why);
    if (asBefore && !late) {
      install(life);
      return;
    }
    modules.fail(life, late ? ModuleEvent.INSTALL_LATE : ModuleEvent.INSTALL_FAILED, why);
    if (silent && isAgent(life, asked)) {
      containers.restart(life.key().user(), "its agent did not answer an install");
    }
  }

  /** Returns true if this is the agent of the module's container, which is ready. */
  private boolean isAgent(ModuleLife life, Agent asked) {
    return containers.agent(life.key().user()).filter(a -> a == asked).isPresent();
  }

  /**
   * Gives a module that runs its properties and filters. An agent that goes away over it gives no
   * answer, because the module comes back with them.
   */
  void configure(ModuleLife life, Consumer<Answer> done) {
    Optional<Agent> agent = containers.agent(life.key().user());
    if (agent.isEmpty()) {
      return;
    }
    agent
        .get()
        .change(
            AgentOrder.configure(life.key().module(), settings(life.order)),
            null,
            INSTALL_MILLIS,
            reply -> configured(life, agent.get(), reply, done));
  }

  private void configured(ModuleLife life, Agent asked, AgentReply reply, Consumer<Answer> done) {
    if (reply.silent()) {
      if (isAgent(life, asked)) {
        containers.restart(life.key().user(), "its agent did not answer a configure");
      }
    } else if (!reply.ok()) {
      done.accept(new Answer(reply.status().orElse(500), null, reply.reason()));
      if (reply.timedOut()) {
        containers.restart(life.key().user(), "a module does not take its properties");
      }
    } else {
      plane.write(
          written ->
              done.accept(
                  written.ok()
                      ? new Answer(200, null, "refreshed")
                      : new Answer(500, null, "filters: " + written.reason())));
    }
  }

  /**
   * Takes away the filters of a quarantined module, and the flows that it has given to the kernel.
   */
  void isolate(ModuleLife life) {
    containers.forgetRelays(life.key().user());
    plane.changed(life.key().user());
    plane.write(
        reply -> {
          if (!reply.ok()) {
            LOG.warn("module {}: filters stay: {}", life.key(), reply.reason());
          }
        });
  }

  /**
   * Begins to write the filters of a new module, while its container starts or its agent installs
   * it. An incarnation that still runs in its place keeps its filters until the new one is
   * installed. A module that takes connections gets them only when it has started.
   */
  private void writeEarly(ModuleLife life) {
    boolean takes = life.order.filters().stream().anyMatch(FlowFilter::takes);
    if (!life.isEarly() || life.early != null || takes || table.isReplacement(life)) {
      return;
    }
    life.early = new EarlyFilters(life.order.filters());
    life.filtersWritten = true;
    plane.changed(life.key().user());
    plane.write(life.early::written);
  }

  void writeFilters(ModuleLife life) {
    EarlyFilters early = life.early;
    life.early = null; // A later installation writes them again.
    if (early != null && early.await(life.order.filters(), reply -> written(life, reply))) {
      return;
    }
    life.filtersWritten = true;
    plane.changed(life.key().user());
    plane.write(reply -> written(life, reply));
  }

  private void written(ModuleLife life, SpawnerReply reply) {
    if (reply.ok()) {
      modules.fire(life, ModuleEvent.FILTERED, "filters written");
    } else {
      modules.fail(
          life, ModuleEvent.FILTER_FAILED, new Answer(500, null, "filters: " + reply.reason()));
    }
  }

  /**
   * Undoes the steps in reverse order: filters, module, container, bundle. The bundle goes with the
   * end of the life.
   */
  void undo(ModuleLife life) {
    containers.forgetRelays(life.key().user());
    if (life.filtersWritten) {
      plane.write(
          reply -> {
            if (!reply.ok()) {
              LOG.warn(
                  "module {}: filters stay until the next change: {}", life.key(), reply.reason());
            }
            undoInstall(life);
          });
    } else {
      undoInstall(life);
    }
  }

  private void undoInstall(ModuleLife life) {
    Optional<Agent> agent = containers.agent(life.key().user());
    // The predecessor of this incarnation will be installed over it.
    if (!life.handedOver || agent.isEmpty() || table.replaces(life)) {
      undoContainer(life);
      return;
    }
    agent
        .get()
        .change(
            AgentOrder.uninstall(life.key().module()),
            null,
            UNINSTALL_MILLIS,
            reply -> {
              if (!reply.ok()) {
                LOG.warn("module {}: uninstall: {}", life.key(), reply.reason());
              }
              if (!table.alone(life)) {
                // Flows that it gave to the kernel after its filters had gone end with it, too.
                plane.changed(life.key().user());
                plane.rewrite();
              }
              undoContainer(life);
            });
  }

  private void undoContainer(ModuleLife life) {
    if (table.alone(life)) {
      containers.release(
          life.key().user(), () -> modules.fire(life, ModuleEvent.UNDONE, life.outcome.reason()));
    } else {
      loop.execute(() -> modules.fire(life, ModuleEvent.UNDONE, life.outcome.reason()));
    }
  }

  /** Removes a module that a container reports and nobody wants. */
  void removeSurplus(String user, String module) {
    containers
        .agent(user)
        .ifPresent(
            agent ->
                agent.change(
                    AgentOrder.uninstall(module),
                    null,
                    UNINSTALL_MILLIS,
                    reply -> LOG.debug("container {}: {}: {}", user, module, reply)));
  }
}
