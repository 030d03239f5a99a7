// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.function.BiConsumer;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.Json;

/** Asks the agents of ready containers now and then whether they are still there. On the loop. */
final class AgentPulse {
  private static final long PING_EVERY = 2_000;

  /** Milliseconds of silence after which an agent is taken to hang. */
  private static final long SILENCE = 10_000;

  private final Loop loop;
  private final BiConsumer<Container, String> silent;

  /**
   * Makes a pulse.
   *
   * @param silent hears of a container with an agent that does not answer, and the reason for
   *     people
   */
  AgentPulse(Loop loop, BiConsumer<Container, String> silent) {
    this.loop = loop;
    this.silent = silent;
  }

  /** Begins to ask the container's present agent, which has just been heard. */
  void start(Container container) {
    stop(container);
    container.lastAnswer = loop.monotonic();
    later(container, container.agent);
  }

  void stop(Container container) {
    if (container.ping != null) {
      container.ping.cancel();
      container.ping = null;
    }
  }

  private void later(Container container, Agent agent) {
    container.ping = loop.after(PING_EVERY, () -> ping(container, agent));
  }

  private void ping(Container container, Agent agent) {
    if (container.agent != agent || container.state != ContainerState.READY) {
      return;
    }
    // A start of a module has the time-out of its install, and the agent may have only one hand.
    if (agent.changing()) {
      container.lastAnswer = loop.monotonic();
    } else if (loop.monotonic() - container.lastAnswer >= SILENCE) {
      silent.accept(container, "its agent has not answered for " + SILENCE + " ms");
      return;
    } else {
      agent.ask(
          Json.object().put("op", "ping"),
          SILENCE,
          reply -> {
            if (!reply.path("here").asBoolean()) {
              container.lastAnswer = loop.monotonic();
            }
          });
    }
    later(container, agent);
  }
}
