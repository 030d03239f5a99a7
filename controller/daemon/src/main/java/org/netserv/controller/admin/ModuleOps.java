// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.netserv.controller.container.Agent;
import org.netserv.controller.container.Containers;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.module.ModuleHistory;
import org.netserv.controller.module.Modules;
import org.netserv.frames.Json;

/**
 * Questions about one publisher's modules: {@code why}, {@code trace}, {@code rules}, {@code
 * threads}. On the loop.
 */
final class ModuleOps {
  private static final long TRACE_MAX = 60_000;
  private static final long SLACK = 2_000;
  private static final long THREADS = 10_000;
  private static final long RULES = 5_000;
  private static final String ID = "[0-9a-f]{1,64}";

  private final Modules modules;
  private final Containers containers;

  ModuleOps(Modules modules, Containers containers) {
    this.modules = modules;
    this.containers = containers;
  }

  /** Tells a module's state, the reason, and the states before it. */
  void why(ObjectNode request, AdminServer.Reply reply) {
    String module = request.path("module").asText("");
    List<ModuleKey> keys = modules.history().find(module, user(request));
    if (isOne(keys, module, reply)) {
      why(keys.get(0), reply);
    }
  }

  private static String user(ObjectNode request) {
    return request.path("publisher").isTextual() ? request.path("publisher").asText() : null;
  }

  /** Refuses a name that no module has, or several. */
  private static boolean isOne(List<ModuleKey> keys, String module, AdminServer.Reply reply) {
    if (keys.isEmpty()) {
      reply.send(AdminOps.error("nothing is known of a module " + module));
    } else if (keys.size() > 1) {
      reply.send(
          AdminOps.error("several publishers have a module " + module + ": say which: " + keys));
    }
    return keys.size() == 1;
  }

  private void why(ModuleKey key, AdminServer.Reply reply) {
    List<ModuleHistory.Entry> history = modules.history().of(key);
    ModuleHistory.Entry now = history.get(history.size() - 1);
    for (ModuleHistory.Entry entry : history) {
      now = entry.limit().isEmpty() ? entry : now;
    }
    ObjectNode answer =
        Json.object()
            .put("ok", true)
            .put("publisher", key.user())
            .put("module", key.module())
            .put("state", now.state())
            .put("because", now.reason());
    modules.livesOf(key.user()).stream()
        .filter(life -> life.key().equals(key))
        .findFirst()
        .ifPresent(
            life ->
                answer
                    .put("state", modules.path().state(life))
                    .put("because", modules.path().because(life)));
    ArrayNode list = answer.putArray("history");
    for (ModuleHistory.Entry entry : history) {
      list.addObject()
          .put("time", Instant.ofEpochMilli(entry.time()).toString())
          .put("state", entry.state())
          .put("reason", entry.reason());
    }
    reply.send(answer);
  }

  void trace(ObjectNode request, AdminServer.Reply reply) {
    int count = request.path("count").asInt(10);
    long timeout = request.path("timeout").asLong(10_000);
    if (count < 1 || count > 1000 || timeout < 1 || timeout > TRACE_MAX) {
      reply.send(AdminOps.error("count is 1 to 1000, timeout 1 to " + TRACE_MAX + " ms"));
      return;
    }
    ask(
        request,
        Json.object().put("op", "trace").put("count", count).put("timeout", timeout),
        timeout + SLACK,
        reply);
  }

  /** Shows the rules of a service router, all or the ones for one serviceID. */
  void rules(ObjectNode request, AdminServer.Reply reply) {
    String module = request.path("module").asText("");
    List<ModuleKey> keys =
        modules.history().find(module, user(request)).stream()
            .filter(key -> containers.agent(key.user()).isPresent())
            .toList();
    if (!isOne(keys, module, reply)) {
      return;
    }
    ObjectNode op = Json.object().put("op", "rules").put("module", module);
    if (request.has("service")) {
      String id = request.path("service").asText("");
      if (!id.matches(ID)) {
        reply.send(AdminOps.error("service is 1 to 64 hexadecimal digits in lower case"));
        return;
      }
      op.put("service", id);
    }
    ask(request.put("publisher", keys.get(0).user()), op, RULES, reply);
  }

  void threads(ObjectNode request, AdminServer.Reply reply) {
    ask(request, Json.object().put("op", "threads"), THREADS, reply);
  }

  /** Passes a question on to the agent of {@code publisher}, and its answer back. */
  private void ask(ObjectNode request, ObjectNode op, long timeout, AdminServer.Reply reply) {
    String publisher = request.path("publisher").asText("");
    Optional<Agent> agent = containers.agent(publisher);
    if (agent.isEmpty()) {
      reply.send(AdminOps.error("publisher '" + publisher + "' has no container that is ready"));
      return;
    }
    agent.get().ask(op, timeout, answer -> reply.send(answer.deepCopy().without("here")));
  }
}
