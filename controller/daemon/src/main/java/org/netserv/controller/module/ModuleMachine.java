// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import static org.netserv.controller.module.ModuleAction.ANNOUNCE;
import static org.netserv.controller.module.ModuleAction.AWAIT_CONTAINER;
import static org.netserv.controller.module.ModuleAction.FETCH;
import static org.netserv.controller.module.ModuleAction.FINISH;
import static org.netserv.controller.module.ModuleAction.INSTALL;
import static org.netserv.controller.module.ModuleAction.ISOLATE;
import static org.netserv.controller.module.ModuleAction.NOTHING;
import static org.netserv.controller.module.ModuleAction.RESTART_CONTAINER;
import static org.netserv.controller.module.ModuleAction.SETTLE;
import static org.netserv.controller.module.ModuleAction.UNDO;
import static org.netserv.controller.module.ModuleAction.UNEXPECTED;
import static org.netserv.controller.module.ModuleAction.WRITE_FILTERS;
import static org.netserv.controller.module.ModuleState.ACCEPTED;
import static org.netserv.controller.module.ModuleState.CLAIMING;
import static org.netserv.controller.module.ModuleState.FETCHING;
import static org.netserv.controller.module.ModuleState.INSTALLING;
import static org.netserv.controller.module.ModuleState.QUARANTINED;
import static org.netserv.controller.module.ModuleState.RECOVERING;
import static org.netserv.controller.module.ModuleState.REINSTALLING;
import static org.netserv.controller.module.ModuleState.REMOVING;
import static org.netserv.controller.module.ModuleState.REPLACED;
import static org.netserv.controller.module.ModuleState.RUNNING;
import static org.netserv.controller.module.ModuleState.STARTING_CONTAINER;

import java.util.EnumSet;
import java.util.Set;

/**
 * The life of one incarnation of a module: every state has an answer for every event. Pure; {@link
 * ModuleRunner} carries the actions out. The end state that UNDONE leads to depends on the reason
 * for the undoing, so the caller passes it in.
 */
public final class ModuleMachine {

  /** The state that an event leads to, and the action to carry out then. */
  public record Step(ModuleState next, ModuleAction action) {}

  private ModuleMachine() {}

  /**
   * Returns the step that an event leads to.
   *
   * @param end the end state of an undoing under way; used in REMOVING only
   */
  public static Step on(ModuleState state, ModuleEvent event, ModuleState end) {
    if (state.ended()) {
      // The answer of a job or an agent that came too late.
      return step(state, UNEXPECTED);
    }
    return switch (state) {
      case ACCEPTED -> accepted(event);
      case FETCHING -> fetching(event);
      case STARTING_CONTAINER -> startingContainer(event);
      case INSTALLING -> installing(event);
      case CLAIMING -> claiming(event);
      case RUNNING -> running(event);
      case RECOVERING -> recovering(event);
      case REINSTALLING -> reinstalling(event);
      case QUARANTINED -> quarantined(event);
      case REMOVING ->
          event == ModuleEvent.UNDONE
              ? step(end, FINISH)
              : step(REMOVING, quietIf(event, ANY_ENDING));
      case REMOVED, EXPIRED, FAILED, REPLACED -> step(state, UNEXPECTED);
    };
  }

  /** Events that arrive while the undoing is under way and that need no answer of their own. */
  private static final Set<ModuleEvent> ANY_ENDING =
      EnumSet.of(
          ModuleEvent.REMOVE,
          ModuleEvent.EXPIRE,
          ModuleEvent.CRASH_LOOP,
          ModuleEvent.CONTAINER_LOST,
          ModuleEvent.CONTAINER_FAILED,
          ModuleEvent.CONTAINER_READY,
          ModuleEvent.CONTAINER_HAS_IT,
          ModuleEvent.BRING_BACK,
          ModuleEvent.QUARANTINE,
          ModuleEvent.RELEASE,
          ModuleEvent.SUPERSEDED,
          ModuleEvent.INSTALLED,
          ModuleEvent.INSTALL_FAILED,
          ModuleEvent.INSTALL_LATE,
          ModuleEvent.FETCHED,
          ModuleEvent.FETCH_FAILED,
          ModuleEvent.FILTERED,
          ModuleEvent.FILTER_FAILED);

  private static Step accepted(ModuleEvent event) {
    return switch (event) {
      case START -> step(FETCHING, FETCH);
      case RESTORE -> step(RECOVERING, AWAIT_CONTAINER);
      case QUARANTINE -> step(QUARANTINED, ISOLATE);
      case REMOVE, EXPIRE -> step(REMOVING, UNDO);
      default -> step(ACCEPTED, UNEXPECTED);
    };
  }

  private static Step fetching(ModuleEvent event) {
    return switch (event) {
      case FETCHED -> step(STARTING_CONTAINER, AWAIT_CONTAINER);
      case FETCH_FAILED, REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      // News of the container that the modules beside it use. It does not concern this module yet.
      case CONTAINER_READY, CONTAINER_HAS_IT, CONTAINER_LOST, CONTAINER_FAILED ->
          step(FETCHING, NOTHING);
      default -> step(FETCHING, UNEXPECTED);
    };
  }

  private static Step startingContainer(ModuleEvent event) {
    return switch (event) {
      case CONTAINER_READY -> step(INSTALLING, INSTALL);
      // Only the log says whether it ran. The agent installs it again and replaces it.
      case CONTAINER_HAS_IT -> step(INSTALLING, INSTALL);
      case CONTAINER_LOST -> step(STARTING_CONTAINER, NOTHING);
      case CONTAINER_FAILED, REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      default -> step(STARTING_CONTAINER, UNEXPECTED);
    };
  }

  private static Step installing(ModuleEvent event) {
    return switch (event) {
      case INSTALLED -> step(CLAIMING, WRITE_FILTERS);
      // A container that dies while it installs a new module most likely died of the module, which
      // gets no second try.
      case INSTALL_FAILED,
          INSTALL_LATE,
          QUARANTINE,
          CONTAINER_LOST,
          CONTAINER_FAILED,
          REMOVE,
          EXPIRE,
          CRASH_LOOP ->
          step(REMOVING, UNDO);
      case CONTAINER_READY, CONTAINER_HAS_IT -> step(INSTALLING, NOTHING);
      default -> step(INSTALLING, UNEXPECTED);
    };
  }

  private static Step claiming(ModuleEvent event) {
    return switch (event) {
      case FILTERED -> step(RUNNING, ANNOUNCE);
      case FILTER_FAILED,
          QUARANTINE,
          CONTAINER_LOST,
          CONTAINER_FAILED,
          REMOVE,
          EXPIRE,
          CRASH_LOOP ->
          step(REMOVING, UNDO);
      case CONTAINER_READY, CONTAINER_HAS_IT -> step(CLAIMING, NOTHING);
      default -> step(CLAIMING, UNEXPECTED);
    };
  }

  private static Step running(ModuleEvent event) {
    return switch (event) {
      case CONTAINER_LOST -> step(RECOVERING, AWAIT_CONTAINER);
      case CONTAINER_READY -> step(REINSTALLING, INSTALL);
      case CONTAINER_HAS_IT -> step(RUNNING, NOTHING);
      case CONTAINER_FAILED -> step(RECOVERING, AWAIT_CONTAINER);
      case BRING_BACK -> step(REINSTALLING, INSTALL);
      case FILTERED -> step(RUNNING, SETTLE);
      case FILTER_FAILED -> step(RUNNING, NOTHING);
      case QUARANTINE -> step(QUARANTINED, ISOLATE);
      case SUPERSEDED -> step(REPLACED, FINISH);
      case REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      default -> step(RUNNING, UNEXPECTED);
    };
  }

  private static Step recovering(ModuleEvent event) {
    return switch (event) {
      case CONTAINER_READY -> step(REINSTALLING, INSTALL);
      case CONTAINER_HAS_IT -> step(RUNNING, WRITE_FILTERS);
      // The container's own back-off goes on. The module waits as long as its claims live.
      case CONTAINER_LOST, CONTAINER_FAILED, BRING_BACK, FILTERED, FILTER_FAILED ->
          step(RECOVERING, NOTHING);
      case QUARANTINE -> step(QUARANTINED, ISOLATE);
      case SUPERSEDED -> step(REPLACED, FINISH);
      case REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      default -> step(RECOVERING, UNEXPECTED);
    };
  }

  private static Step reinstalling(ModuleEvent event) {
    return switch (event) {
      case INSTALLED -> step(RUNNING, WRITE_FILTERS);
      case CONTAINER_LOST, CONTAINER_FAILED -> step(RECOVERING, AWAIT_CONTAINER);
      // It has started in its time before, so the machine or the container may be to blame. The
      // bound on crashes holds for late starts, too.
      case INSTALL_LATE -> step(RECOVERING, RESTART_CONTAINER);
      case INSTALL_FAILED, REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      case CONTAINER_READY -> step(REINSTALLING, INSTALL);
      case CONTAINER_HAS_IT, BRING_BACK, FILTERED, FILTER_FAILED -> step(REINSTALLING, NOTHING);
      case QUARANTINE -> step(QUARANTINED, ISOLATE);
      case SUPERSEDED -> step(REPLACED, FINISH);
      default -> step(REINSTALLING, UNEXPECTED);
    };
  }

  private static Step quarantined(ModuleEvent event) {
    return switch (event) {
      // If the container has gone, it is started first, and the agent then installs the module
      // anew.
      case RELEASE -> step(RECOVERING, AWAIT_CONTAINER);
      // The container comes and goes with the modules beside it. Answers to earlier orders may
      // come.
      case CONTAINER_READY,
          CONTAINER_HAS_IT,
          CONTAINER_LOST,
          CONTAINER_FAILED,
          INSTALLED,
          INSTALL_FAILED,
          INSTALL_LATE,
          FILTERED,
          FILTER_FAILED,
          QUARANTINE ->
          step(QUARANTINED, NOTHING);
      case SUPERSEDED -> step(REPLACED, FINISH);
      case REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      default -> step(QUARANTINED, UNEXPECTED);
    };
  }

  private static ModuleAction quietIf(ModuleEvent event, Set<ModuleEvent> quiet) {
    return quiet.contains(event) ? NOTHING : UNEXPECTED;
  }

  private static Step step(ModuleState next, ModuleAction action) {
    return new Step(next, action);
  }
}
