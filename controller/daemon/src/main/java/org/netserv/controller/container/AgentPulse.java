// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.function.BiConsumer;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.Json;

/** Asks the agents of ready containers now and then whether they are still there. On the loop. */
final class AgentPulse {
  private static final long PING_EVERY = 2_000;

  /** An agent that has not answered for so long is taken to hang. */
  private static final long SILENCE = 10_000;

  private final Loop loop;
  private final BiConsumer<Container, String> silent;

  /**
   * A pulse.
   *
   * @param silent hears of a container whose agent does not answer, and why that is said
   */
  AgentPulse(Loop loop, BiConsumer<Container, String> silent) {
    this.loop = loop;
    this.silent = silent;
  }

  /** Begins with the agent that it has now, which has just been heard. */
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
    // While a module is being started the install has its own time-out, and the agent may have only
    // one hand.
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
