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
 * Agents that greeted under the uid of a spare and are nobody's, or not yet: one for each slot, and
 * those that have yet to show that they live.
 *
 * <p>Slots are used again, and a greeting can lie in the socket longer than its writer lives. So an
 * agent counts when it has answered a question that was asked after its greeting; and when a
 * container ends, all that have greeted under its uid so far go ({@link #clear}). Whoever answers
 * after that was not there before. On the loop.
 */
final class SpareAgents {
  private static final Logger LOG = LoggerFactory.getLogger(SpareAgents.class);
  private static final long ANSWER_MILLIS = 10_000;

  /** As many as an agent keeps while it has no connection. */
  private static final int MOST_EVENTS = 64;

  /** What an agent said when it came, and since. */
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
   * @param proven hears of each that lives; it waits on until it is taken
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

  /** An event of one that waits: kept for whoever gets it, if there is room. */
  void said(Agent agent, AgentEvent event) {
    List<AgentEvent> events = entries.get(agent).greeting.events();
    if (events.size() < MOST_EVENTS) {
      events.add(event);
    } else {
      close(agent, "it says too much before anybody listens");
    }
  }

  /** The one that lives and waits under this uid. */
  Optional<Greeting> find(long uid) {
    return entries.values().stream()
        .filter(e -> e.lives && e.greeting.uid() == uid)
        .map(e -> e.greeting)
        .findFirst();
  }

  /** It is somebody's, or its connection is gone; whether it has waited until now. */
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

  /** What ran under this uid has ended. */
  void clear(long uid) {
    for (Entry entry : List.copyOf(entries.values())) {
      if (entry.greeting.uid() == uid) {
        close(entry.greeting.agent(), "the container of that uid has ended");
      }
    }
  }

  /** Those that live and wait. */
  int count() {
    return (int) entries.values().stream().filter(e -> e.lives).count();
  }
}
