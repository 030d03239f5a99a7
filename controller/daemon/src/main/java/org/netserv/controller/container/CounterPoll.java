// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.Json;

/** Asks every ready agent for its counters, again and again, and remembers the last answer. */
public final class CounterPoll {
  private static final long EVERY = 2_000;
  private static final long TIMEOUT = 5_000;

  private final Loop loop;
  private final Containers containers;
  private final Map<String, ObjectNode> last = new TreeMap<>();

  public CounterPoll(Loop loop, Containers containers) {
    this.loop = loop;
    this.containers = containers;
  }

  public void start() {
    poll();
    loop.after(EVERY, this::start);
  }

  private void poll() {
    last.keySet().removeIf(user -> containers.agent(user).isEmpty());
    for (Container container : containers.all()) {
      String user = container.user();
      containers
          .agent(user)
          .filter(agent -> !agent.changing())
          .ifPresent(
              agent ->
                  agent.ask(
                      Json.object().put("op", "counters"), TIMEOUT, reply -> keep(user, reply)));
    }
  }

  private void keep(String user, ObjectNode reply) {
    if (reply.path("ok").asBoolean()) {
      last.put(user, reply);
    }
  }

  /** Returns the agent's last answer; an empty object if there is none. */
  public JsonNode of(String user) {
    ObjectNode reply = last.get(user);
    return reply == null ? Json.object() : reply;
  }

  /** Returns a module's own counters; missing if there are none. */
  public JsonNode of(ModuleKey key) {
    for (JsonNode module : of(key.user()).path("modules")) {
      if (module.path("module").asText().equals(key.module())) {
        return module;
      }
    }
    return Json.object().path("none");
  }

  /** Returns the time of its last packet in milliseconds since 1970; 0 = none or not known. */
  public long lastPacket(ModuleKey key) {
    return of(key).path("last").asLong(0);
  }
}
