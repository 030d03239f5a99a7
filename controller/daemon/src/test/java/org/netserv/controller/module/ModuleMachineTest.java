// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every state has an answer for every event, and the answers fit together. */
final class ModuleMachineTest {

  static Stream<Arguments> everyStateAndEvent() {
    return Arrays.stream(ModuleState.values())
        .flatMap(s -> Arrays.stream(ModuleEvent.values()).map(e -> Arguments.of(s, e)));
  }

  @ParameterizedTest
  @MethodSource("everyStateAndEvent")
  void hasAnAnswer(ModuleState state, ModuleEvent event) {
    ModuleMachine.Step step = ModuleMachine.on(state, event, ModuleState.FAILED);
    assertNotNull(step.next());
    assertNotNull(step.action());
    if (step.action() == ModuleAction.UNEXPECTED) {
      assertEquals(state, step.next(), "the unexpected changes nothing");
    }
    if (state.ended()) {
      assertEquals(ModuleAction.UNEXPECTED, step.action(), "nothing happens to what has ended");
    }
    assertEquals(
        step.next().ended() && !state.ended(),
        step.action() == ModuleAction.FINISH,
        "an end is finished once");
    assertEquals(
        step.next() == ModuleState.REMOVING && state != ModuleState.REMOVING,
        step.action() == ModuleAction.UNDO,
        "removing begins with the undoing, once");
    assertEquals(
        step.action() == ModuleAction.RESTART_CONTAINER,
        state == ModuleState.REINSTALLING && event == ModuleEvent.INSTALL_LATE);
    assertEquals(
        step.action() == ModuleAction.ANNOUNCE,
        state == ModuleState.CLAIMING && event == ModuleEvent.FILTERED);
  }

  @ParameterizedTest
  @MethodSource("everyStateAndEvent")
  void endingEventsEnd(ModuleState state, ModuleEvent event) {
    Set<ModuleEvent> ending = EnumSet.of(ModuleEvent.REMOVE, ModuleEvent.EXPIRE);
    if (!state.ended() && ending.contains(event)) {
      assertEquals(
          ModuleState.REMOVING, ModuleMachine.on(state, event, ModuleState.REMOVED).next());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ACCEPTED, START, FETCHING, FETCH",
    "FETCHING, FETCHED, STARTING_CONTAINER, AWAIT_CONTAINER",
    "STARTING_CONTAINER, CONTAINER_READY, INSTALLING, INSTALL",
    "INSTALLING, INSTALLED, CLAIMING, WRITE_FILTERS",
    "CLAIMING, FILTERED, RUNNING, ANNOUNCE",
    "RUNNING, REMOVE, REMOVING, UNDO",
    "REMOVING, UNDONE, REMOVED, FINISH",
    "RUNNING, CONTAINER_LOST, RECOVERING, AWAIT_CONTAINER",
    "RECOVERING, CONTAINER_READY, REINSTALLING, INSTALL",
    "RECOVERING, CONTAINER_HAS_IT, RUNNING, WRITE_FILTERS",
    "REINSTALLING, INSTALLED, RUNNING, WRITE_FILTERS",
    "REINSTALLING, INSTALL_LATE, RECOVERING, RESTART_CONTAINER",
    "REINSTALLING, INSTALL_FAILED, REMOVING, UNDO",
    "INSTALLING, INSTALL_LATE, REMOVING, UNDO",
    "QUARANTINED, INSTALL_LATE, QUARANTINED, NOTHING",
    "RUNNING, BRING_BACK, REINSTALLING, INSTALL",
    "RUNNING, SUPERSEDED, REPLACED, FINISH",
    "INSTALLING, CONTAINER_LOST, REMOVING, UNDO",
    "RUNNING, CRASH_LOOP, REMOVING, UNDO",
    "RUNNING, QUARANTINE, QUARANTINED, ISOLATE",
    "ACCEPTED, QUARANTINE, QUARANTINED, ISOLATE",
    "CLAIMING, QUARANTINE, REMOVING, UNDO",
    "QUARANTINED, QUARANTINE, QUARANTINED, NOTHING",
    "QUARANTINED, CONTAINER_READY, QUARANTINED, NOTHING",
    "QUARANTINED, CONTAINER_HAS_IT, QUARANTINED, NOTHING",
    "QUARANTINED, FILTERED, QUARANTINED, NOTHING",
    "QUARANTINED, RELEASE, RECOVERING, AWAIT_CONTAINER",
    "QUARANTINED, SUPERSEDED, REPLACED, FINISH",
    "QUARANTINED, REMOVE, REMOVING, UNDO",
  })
  void takesTheWayOfTheDocument(
      ModuleState from, ModuleEvent event, ModuleState to, ModuleAction action) {
    assertEquals(
        new ModuleMachine.Step(to, action), ModuleMachine.on(from, event, ModuleState.REMOVED));
  }

  @Test
  void everyWayCanEnd() {
    Random random = new Random(5);
    ModuleEvent[] events = ModuleEvent.values();
    for (int run = 0; run < 2_000; run++) {
      ModuleState state = ModuleState.ACCEPTED;
      for (int i = 0; i < 30; i++) {
        state =
            ModuleMachine.on(state, events[random.nextInt(events.length)], ModuleState.FAILED)
                .next();
      }
      if (!state.ended()) {
        state = ModuleMachine.on(state, ModuleEvent.REMOVE, ModuleState.REMOVED).next();
        state = ModuleMachine.on(state, ModuleEvent.UNDONE, ModuleState.REMOVED).next();
      }
      assertTrue(state.ended());
      assertFalse(state.established());
    }
  }
}
