// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.frames.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agents that greeted under the uid of a spare and that no container has taken. Each slot has at
 * most one agent that lives, besides agents that have yet to show that they live.
 *
 * <p>Slots are used again, and a greeting can lie in the socket longer than its writer lives. So an
 * agent counts only when it has answered a question that was asked after its greeting. When a
 * container ends, all agents that have greeted under its uid so far are closed ({@link #clear}). An
 * agent that answers after that was not there before. On the loop.
 */
final class SpareAgents {
  private static final Logger LOG = LoggerFactory.getLogger(SpareAgents.class);
  private static final long ANSWER_MILLIS = 10_000;

  /** Events of one agent that are kept, as many as an agent keeps while it has no connection. */
  private static final int MOST_EVENTS = 64;

  /** An agent with its hello and its events since. */
  record Greeting(long uid, Agent agent, AgentHello hello, List<AgentEvent> events) {}

  private static final class Entry {
    private final Greeting greeting;
    private boolean lives;

    Entry(Greeting greeting) {
      this.greeting = greeting;
    }
  }

  private final Map<Agent, Entry> entries = new LinkedHashMap<>();
  private final Consumer<Greeting> proven;

  /**
   * @param proven hears of each agent that lives; the agent waits on until it is taken
   */
  SpareAgents(Consumer<Greeting> proven) {
    this.proven = proven;
  }

  void add(long uid, Agent agent, AgentHello hello) {
    entries.put(agent, new Entry(new Greeting(uid, agent, hello, new ArrayList<>())));
    agent.ask(Json.object().put("op", "ping"), ANSWER_MILLIS, reply -> answered(agent, reply));
  }

  private void answered(Agent agent, ObjectNode reply) {
    Entry entry = entries.get(agent);
    if (entry == null) {
      return;
    }
    long uid = entry.greeting.uid();
    if (reply.path("here").asBoolean()) {
      close(agent, "it greeted and does not answer");
      return;
    }
    find(uid).ifPresent(old -> close(old.agent(), "connected a second time"));
    entry.lives = true;
    proven.accept(entry.greeting);
  }

  boolean has(Agent agent) {
    return entries.containsKey(agent);
  }

  /**
   * Keeps an event of an agent that waits for the container that takes the agent. Closes the agent
   * if there is no room.
   */
  void said(Agent agent, AgentEvent event) {
    List<AgentEvent> events = entries.get(agent).greeting.events();
    if (events.size() < MOST_EVENTS) {
      events.add(event);
    } else {
      close(agent, "it says too much before anybody listens");
    }
  }

  /** Returns the agent that lives and waits under this uid. */
  Optional<Greeting> find(long uid) {
    return entries.values().stream()
        .filter(e -> e.lives && e.greeting.uid() == uid)
        .map(e -> e.greeting)
        .findFirst();
  }

  /**
   * Removes an agent, because a container has taken it or its connection is gone. Returns true if
   * it has waited until now.
   */
  boolean remove(Agent agent) {
    return entries.remove(agent) != null;
  }

  void close(Agent agent, String why) {
    Entry entry = entries.remove(agent);
    if (entry != null) {
      LOG.warn("agent with uid {}, of a spare: closed: {}", entry.greeting.uid(), why);
      agent.close();
    }
  }

  /** Closes all agents under this uid, because its container has ended. */
  void clear(long uid) {
    for (Entry entry : List.copyOf(entries.values())) {
      if (entry.greeting.uid() == uid) {
        close(entry.greeting.agent(), "the container of that uid has ended");
      }
    }
  }

  /** Returns the number of agents that live and wait. */
  int count() {
    return (int) entries.values().stream().filter(e -> e.lives).count();
  }
}
