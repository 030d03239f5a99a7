// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.netserv.controller.container.ContainerAction.AWAIT_HELLO;
import static org.netserv.controller.container.ContainerAction.BACK_OFF;
import static org.netserv.controller.container.ContainerAction.FORGET;
import static org.netserv.controller.container.ContainerAction.LINK_DOWN;
import static org.netserv.controller.container.ContainerAction.LINK_UP;
import static org.netserv.controller.container.ContainerAction.NOTHING;
import static org.netserv.controller.container.ContainerAction.START;
import static org.netserv.controller.container.ContainerAction.STOP;
import static org.netserv.controller.container.ContainerAction.STOP_UNFIT;
import static org.netserv.controller.container.ContainerAction.STOP_WITH_DUMP;
import static org.netserv.controller.container.ContainerAction.UNEXPECTED;
import static org.netserv.controller.container.ContainerState.BACKOFF;
import static org.netserv.controller.container.ContainerState.GREETING;
import static org.netserv.controller.container.ContainerState.IDLE;
import static org.netserv.controller.container.ContainerState.READY;
import static org.netserv.controller.container.ContainerState.RESTARTING;
import static org.netserv.controller.container.ContainerState.STARTING;
import static org.netserv.controller.container.ContainerState.STOPPING;

/**
 * The life of a publisher's container: every state has an answer for every event. Pure; {@link
 * Containers} acts.
 */
public final class ContainerMachine {

  /** The state that an event leads to, and the action to carry out then. */
  public record Step(ContainerState next, ContainerAction action) {}

  private ContainerMachine() {}

  public static Step on(ContainerState state, ContainerEvent event) {
    return switch (state) {
      case IDLE -> idle(event);
      case STARTING -> starting(event);
      case GREETING -> greeting(event);
      case READY -> ready(event);
      case STOPPING -> stopping(event);
      case RESTARTING -> restarting(event);
      case BACKOFF -> backoff(event);
    };
  }

  private static Step idle(ContainerEvent event) {
    return switch (event) {
      case NEED -> step(STARTING, START);
      case LISTED -> step(GREETING, AWAIT_HELLO);
      // The agent was faster than the spawner's list.
      case HELLO -> step(READY, LINK_UP);
      case RELEASE, LINK_LOST, EXITED, STOPPED -> step(IDLE, FORGET);
      default -> step(IDLE, UNEXPECTED);
    };
  }

  private static Step starting(ContainerEvent event) {
    return switch (event) {
      case STARTED, LISTED -> step(GREETING, AWAIT_HELLO);
      case HELLO -> step(READY, LINK_UP);
      case START_FAILED, EXITED -> step(BACKOFF, BACK_OFF);
      case RELEASE -> step(STOPPING, STOP);
      case NEED, LINK_LOST -> step(STARTING, NOTHING);
      default -> step(STARTING, UNEXPECTED);
    };
  }

  private static Step greeting(ContainerEvent event) {
    return switch (event) {
      case HELLO -> step(READY, LINK_UP);
      case HELLO_TIMEOUT, UNRESPONSIVE -> step(RESTARTING, STOP_WITH_DUMP);
      case UNFIT -> step(RESTARTING, STOP_UNFIT);
      case EXITED -> step(BACKOFF, BACK_OFF);
      case RELEASE -> step(STOPPING, STOP);
      case NEED, LISTED, STARTED, LINK_LOST -> step(GREETING, NOTHING);
      default -> step(GREETING, UNEXPECTED);
    };
  }

  private static Step ready(ContainerEvent event) {
    return switch (event) {
      // A second connection of the same agent: the first one is dead, even if its end was not seen.
      case HELLO -> step(READY, LINK_UP);
      case LINK_LOST -> step(GREETING, LINK_DOWN);
      case UNRESPONSIVE -> step(RESTARTING, STOP_WITH_DUMP);
      case UNFIT -> step(RESTARTING, STOP_UNFIT);
      case EXITED -> step(BACKOFF, BACK_OFF);
      case RELEASE -> step(STOPPING, STOP);
      case NEED, STARTED, LISTED -> step(READY, NOTHING);
      default -> step(READY, UNEXPECTED);
    };
  }

  private static Step stopping(ContainerEvent event) {
    return switch (event) {
      case STOPPED -> step(IDLE, FORGET);
      case NEED -> step(RESTARTING, NOTHING);
      case EXITED, LINK_LOST, RELEASE, STARTED, START_FAILED, HELLO, LISTED ->
          step(STOPPING, NOTHING);
      default -> step(STOPPING, UNEXPECTED);
    };
  }

  private static Step restarting(ContainerEvent event) {
    return switch (event) {
      case STOPPED -> step(BACKOFF, BACK_OFF);
      case RELEASE -> step(STOPPING, NOTHING);
      case EXITED, LINK_LOST, NEED, STARTED, START_FAILED, HELLO, LISTED ->
          step(RESTARTING, NOTHING);
      default -> step(RESTARTING, UNEXPECTED);
    };
  }

  private static Step backoff(ContainerEvent event) {
    return switch (event) {
      case BACKOFF_OVER -> step(STARTING, START);
      case RELEASE -> step(IDLE, FORGET);
      case LISTED -> step(GREETING, AWAIT_HELLO);
      case HELLO -> step(READY, LINK_UP);
      case NEED, EXITED, LINK_LOST, STOPPED -> step(BACKOFF, NOTHING);
      default -> step(BACKOFF, UNEXPECTED);
    };
  }

  private static Step step(ContainerState next, ContainerAction action) {
    return new Step(next, action);
  }
}
