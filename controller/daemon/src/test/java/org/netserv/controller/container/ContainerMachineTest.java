// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every state has an answer for every event. Back-off doubles, is bounded, and is forgotten after
 * health.
 */
final class ContainerMachineTest {

  static Stream<Arguments> everyStateAndEvent() {
    return Arrays.stream(ContainerState.values())
        .flatMap(s -> Arrays.stream(ContainerEvent.values()).map(e -> Arguments.of(s, e)));
  }

  @ParameterizedTest
  @MethodSource("everyStateAndEvent")
  void hasAnAnswer(ContainerState state, ContainerEvent event) {
    ContainerMachine.Step step = ContainerMachine.on(state, event);
    assertNotNull(step.next());
    if (step.action() == ContainerAction.UNEXPECTED) {
      assertEquals(state, step.next(), "the unexpected changes nothing");
    }
    assertEquals(
        step.next() == ContainerState.BACKOFF && state != ContainerState.BACKOFF,
        step.action() == ContainerAction.BACK_OFF,
        "a back-off begins with its timer");
    assertEquals(
        step.next() == ContainerState.STARTING && state != ContainerState.STARTING,
        step.action() == ContainerAction.START);
    if (event == ContainerEvent.RELEASE) {
      boolean ends = step.next() == ContainerState.IDLE || step.next() == ContainerState.STOPPING;
      assertEquals(true, ends, "a released container goes, whatever it does");
    }
    if (event == ContainerEvent.NEED) {
      boolean lives = step.next() != ContainerState.IDLE && step.next() != ContainerState.STOPPING;
      assertEquals(true, lives, "a needed container comes, whatever it does");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "IDLE, NEED, STARTING, START",
    "STARTING, STARTED, GREETING, AWAIT_HELLO",
    "STARTING, HELLO, READY, LINK_UP",
    "GREETING, HELLO, READY, LINK_UP",
    "GREETING, HELLO_TIMEOUT, RESTARTING, STOP_WITH_DUMP",
    "READY, LINK_LOST, GREETING, LINK_DOWN",
    "READY, UNRESPONSIVE, RESTARTING, STOP_WITH_DUMP",
    "READY, EXITED, BACKOFF, BACK_OFF",
    "RESTARTING, STOPPED, BACKOFF, BACK_OFF",
    "BACKOFF, BACKOFF_OVER, STARTING, START",
    "READY, RELEASE, STOPPING, STOP",
    "STOPPING, NEED, RESTARTING, NOTHING",
    "STOPPING, STOPPED, IDLE, FORGET",
    "IDLE, LISTED, GREETING, AWAIT_HELLO",
  })
  void takesTheWay(
      ContainerState from, ContainerEvent event, ContainerState to, ContainerAction action) {
    assertEquals(new ContainerMachine.Step(to, action), ContainerMachine.on(from, event));
  }

  @Test
  void backOffDoublesToAMinuteAndForgetsAfterHealth() {
    Container container = new Container("u");
    long[] expected = {20, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000};
    for (long wait : expected) {
      container.readySince = 0;
      assertEquals(wait, container.nextBackoff(Container.HEALTHY - 1));
    }
    container.readySince = 0;
    assertEquals(20, container.nextBackoff(Container.HEALTHY));
    assertEquals(1_000, container.nextBackoff(Container.HEALTHY));
    assertEquals(2_000, container.nextBackoff(Container.HEALTHY));
  }

  @Test
  void aContainerThatNeverWasReadyWaitsFromTheFirstEndOn() {
    Container container = new Container("u");
    assertEquals(1_000, container.nextBackoff(0));
    assertEquals(2_000, container.nextBackoff(0));
  }
}
