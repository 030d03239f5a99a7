// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.netserv.controller.container.Agent;
import org.netserv.controller.container.AgentHello;
import org.netserv.controller.container.AgentOrder;
import org.netserv.controller.container.AgentReply;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.Json;

/** The agent of one container. It installs at once unless told otherwise. */
public final class FakeAgent implements Agent {
  /** Milliseconds that a module has for its start. */
  static final long START_MILLIS = 10_000;

  public final List<ObjectNode> asked = new ArrayList<>();

  /** Symbolic name to version. */
  public final Map<String, String> modules = new LinkedHashMap<>();

  public final Map<String, String> sha256 = new LinkedHashMap<>();

  /** Digests of the bundles that wait for a start, by module. */
  public final Map<String, String> prepared = new LinkedHashMap<>();

  /** The version that does not start. */
  public String badVersion = "";

  /** The text of the failure to start {@link #badVersion}. */
  public String error = "activator threw";

  /** The reasons of quarantined modules, by name. */
  public final Map<String, String> quarantined = new LinkedHashMap<>();

  public boolean silent;

  /** The module that does not start in its time. */
  public String lateModule = "";

  /** The module for which the file system has no room. */
  public String fullModule = "";

  /** True if it does not answer an install. It answers everything else. */
  public boolean hangsInInstall;

  /** Value of a property that no module takes. */
  public String badProperty = "";

  /** True to refuse the next op configure. */
  public boolean refuseConfigure;

  public boolean closed;

  /** Milliseconds that each answer takes. */
  public long delay;

  public long lastPacket;

  /** The next answer to {@code counters}; null = made from its modules. */
  public ObjectNode counters;

  private boolean changing;
  private final Loop loop;

  public FakeAgent(Loop loop) {
    this.loop = loop;
  }

  @Override
  public void ask(ObjectNode op, long timeoutMillis, Consumer<ObjectNode> reply) {
    asked.add(op);
    answer(op, timeoutMillis, reply);
  }

  @Override
  public void change(AgentOrder order, Path body, long timeoutMillis, Consumer<AgentReply> reply) {
    ObjectNode op = order.json();
    asked.add(op);
    changing = true;
    answer(
        op,
        timeoutMillis,
        answered -> {
          changing = false;
          reply.accept(AgentReply.of(answered));
        });
  }

  private void answer(ObjectNode op, long timeout, Consumer<ObjectNode> reply) {
    boolean install = op.path("op").asText().equals("install");
    if (install && op.path("module").asText().equals(lateModule)) {
      modules.remove(lateModule);
      loop.after(START_MILLIS, () -> reply.accept(late()));
    } else if (install && op.path("module").asText().equals(fullModule)) {
      modules.remove(fullModule);
      loop.execute(() -> reply.accept(full()));
    } else if (silent || (install && hangsInInstall)) {
      loop.after(
          timeout,
          () ->
              reply.accept(
                  Json.object().put("ok", false).put("error", "no answer").put("here", true)));
    } else if (delay > 0) {
      loop.after(delay, () -> reply.accept(done(op)));
    } else {
      loop.execute(() -> reply.accept(done(op)));
    }
  }

  private static ObjectNode late() {
    return Json.object()
        .put("ok", false)
        .put("phase", "timeout")
        .put("error", "did not start within " + START_MILLIS + " ms")
        .put("status", 504);
  }

  private static ObjectNode full() {
    return Json.object()
        .put("ok", false)
        .put("phase", "storage")
        .put("error", "java.io.IOException: No space left on device")
        .put("status", 424);
  }

  private ObjectNode done(ObjectNode op) {
    String module = op.path("module").asText();
    ObjectNode ok = Json.object().put("ok", true);
    if (counters != null && op.path("op").asText().equals("counters")) {
      return counters;
    }
    for (JsonNode value : op.path("properties")) {
      if (value.asText().equals(badProperty)) {
        return Json.object()
            .put("ok", false)
            .put("error", "limit: not a number")
            .put("status", 424);
      }
    }
    switch (op.path("op").asText()) {
      case "prepare" -> {
        if (op.path("version").asText().equals(badVersion)) {
          return Json.object().put("ok", false).put("phase", "resolve").put("error", error);
        }
        prepared.put(module, op.path("sha256").asText());
        ok.put("state", "prepared");
      }
      case "install" -> {
        modules.remove(module);
        quarantined.remove(module);
        String waits = prepared.remove(module);
        if (op.path("size").asInt() == 0 && !op.path("sha256").asText().equals(waits)) {
          return Json.object().put("ok", false).put("error", "size: not prepared");
        }
        if (op.path("version").asText().equals(badVersion)) {
          return Json.object()
              .put("ok", false)
              .put("phase", "start")
              .put("error", error)
              .put("status", 500);
        }
        modules.put(module, op.path("version").asText());
        sha256.put(module, op.path("sha256").asText());
        ok.put("state", "running");
      }
      case "configure" -> {
        if (refuseConfigure) {
          refuseConfigure = false;
          return Json.object().put("ok", false).put("error", "no such property").put("status", 500);
        }
      }
      case "uninstall" -> {
        modules.remove(module);
        prepared.remove(module);
      }
      case "counters" ->
          modules.forEach(
              (name, version) ->
                  ok.withArray("modules")
                      .addObject()
                      .put("module", name)
                      .put("packets", 7)
                      .put("last", lastPacket));
      default -> {}
    }
    return ok;
  }

  /** Returns the hello of this agent now. */
  public AgentHello hello() {
    return AgentHello.of(
        modules.keySet().stream()
            .map(
                name ->
                    new AgentHello.Module(
                        name,
                        sha256.get(name),
                        quarantined.containsKey(name),
                        quarantined.getOrDefault(name, "")))
            .toList());
  }

  public long count(String op) {
    return asked.stream().filter(r -> r.path("op").asText().equals(op)).count();
  }

  @Override
  public boolean changing() {
    return changing;
  }

  @Override
  public void close() {
    closed = true;
  }
}
