// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import static org.netserv.controller.module.ModuleAction.ANNOUNCE;
import static org.netserv.controller.module.ModuleAction.AWAIT_CONTAINER;
import static org.netserv.controller.module.ModuleAction.FETCH;
import static org.netserv.controller.module.ModuleAction.FINISH;
import static org.netserv.controller.module.ModuleAction.INSTALL;
import static org.netserv.controller.module.ModuleAction.ISOLATE;
import static org.netserv.controller.module.ModuleAction.NOTHING;
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
 * Modules} carries the actions out. Which end state UNDONE leads to depends on why the undoing
 * began, so the caller passes it in.
 */
public final class ModuleMachine {

  /** Where an event leads and what is to be done then. */
  public record Step(ModuleState next, ModuleAction action) {}

  private ModuleMachine() {}

  /**
   * Where an event leads.
   *
   * @param end the end state that an undoing under way leads to; used in REMOVING only
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

  /** Events that arrive while the undoing is under way and that it takes care of anyhow. */
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
      // The container of its neighbours: of no concern yet.
      case CONTAINER_READY, CONTAINER_HAS_IT, CONTAINER_LOST, CONTAINER_FAILED ->
          step(FETCHING, NOTHING);
      default -> step(FETCHING, UNEXPECTED);
    };
  }

  private static Step startingContainer(ModuleEvent event) {
    return switch (event) {
      case CONTAINER_READY -> step(INSTALLING, INSTALL);
      // Only the log says whether it ran; install again, the agent replaces it.
      case CONTAINER_HAS_IT -> step(INSTALLING, INSTALL);
      case CONTAINER_LOST -> step(STARTING_CONTAINER, NOTHING);
      case CONTAINER_FAILED, REMOVE, EXPIRE, CRASH_LOOP -> step(REMOVING, UNDO);
      default -> step(STARTING_CONTAINER, UNEXPECTED);
    };
  }

  private static Step installing(ModuleEvent event) {
    return switch (event) {
      case INSTALLED -> step(CLAIMING, WRITE_FILTERS);
      // A container that dies while it installs a new module most likely died of it: it gets no
      // second try.
      case INSTALL_FAILED,
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
      // The container's own back-off goes on; the module waits as long as its claims live.
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
      // Through the container's start, if it has gone: then the agent installs it anew.
      case RELEASE -> step(RECOVERING, AWAIT_CONTAINER);
      // Its container comes and goes with the modules beside it; answers of earlier orders come.
      case CONTAINER_READY,
          CONTAINER_HAS_IT,
          CONTAINER_LOST,
          CONTAINER_FAILED,
          INSTALLED,
          INSTALL_FAILED,
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
