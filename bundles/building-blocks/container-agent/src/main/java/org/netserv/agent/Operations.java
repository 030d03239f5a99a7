// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.netserv.dispatcher.Dispatcher;
import org.netserv.dispatcher.ModuleCounters;
import org.netserv.dispatcher.TracedPacket;
import org.netserv.frames.Json;
import org.osgi.framework.Version;

/** The requests of docs/protocols/container.md, each a method. */
final class Operations {
  private static final int MOST_TRACED = 1000;
  private static final int MOST_MILLIS = 60_000;

  /**
   * Characters of the packets of a trace; with the rest of the reply they fit a frame of 256 KiB.
   */
  private static final int MOST_BYTES = 200 << 10;

  /** Counters that one module shows, and all modules together, so that they fit a frame. */
  private static final int MOST_COUNTS = 64;

  private static final int MOST_COUNTS_OF_ALL = 512;

  private final ModuleHost host;
  private final Dispatcher dispatcher;
  private final Tallies tallies;
  private final Boards boards;

  Operations(ModuleHost host, Dispatcher dispatcher, Tallies tallies, Boards boards) {
    this.host = host;
    this.dispatcher = dispatcher;
    this.tallies = tallies;
    this.boards = boards;
  }

  /** Carries out a request; always answers. */
  ObjectNode answer(Request request, Artifact artifact) {
    ObjectNode reply = Json.object();
    reply.set("id", request.json().path("id"));
    try {
      reply.put("ok", true);
      run(request, artifact, reply);
    } catch (Refusal e) {
      e.print(reply);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      Refusal.internal(e).print(reply);
    } catch (RuntimeException | LinkageError e) {
      Refusal.internal(e).print(reply);
    }
    return reply;
  }

  private void run(Request request, Artifact artifact, ObjectNode reply)
      throws Refusal, InterruptedException {
    switch (request.op()) {
      case "prepare" -> prepare(request, artifact, reply);
      case "install" -> install(request, artifact, reply);
      case "uninstall" -> uninstall(request, reply);
      case "configure" ->
          host.configure(request.text("module"), request.properties(), request.filters());
      case "counters" -> counters(reply);
      case "trace" -> trace(request, reply);
      case "rules" -> rules(request, reply);
      case "threads" -> reply.put("dump", Threads.dump());
      case "ping" -> {}
      default -> throw Refusal.bad("op: '" + request.op() + "' is not known");
    }
  }

  private void prepare(Request request, Artifact artifact, ObjectNode reply) throws Refusal {
    host.prepare(request.text("module"), version(request), request.text("sha256"), artifact);
    reply.put("state", "prepared");
  }

  private void install(Request request, Artifact artifact, ObjectNode reply) throws Refusal {
    host.install(
        request.text("module"),
        version(request),
        request.text("sha256"),
        artifact,
        request.properties(),
        request.filters());
    reply.put("state", "running");
  }

  private static String version(Request request) throws Refusal {
    String version = request.text("version");
    try {
      Version.parseVersion(version);
    } catch (IllegalArgumentException e) {
      throw Refusal.bad("version: " + e.getMessage());
    }
    return version;
  }

  private void uninstall(Request request, ObjectNode reply) throws Refusal {
    ObjectNode counters = reply.putObject("counters");
    host.uninstall(request.text("module")).ifPresent(c -> print(counters, c));
  }

  private void counters(ObjectNode reply) {
    ObjectNode whole = reply.putObject("dispatcher");
    dispatcher.counters().forEach(whole::put);
    Map<String, ModuleCounters> counters = moduleCounters();
    ArrayNode modules = reply.putArray("modules");
    int left = MOST_COUNTS_OF_ALL;
    for (Hosted hosted : host.list()) {
      ObjectNode module = modules.addObject();
      ModuleCounters c = counters.get(hosted.name());
      module.put("module", hosted.name()).put("version", hosted.version());
      module.put("state", state(c));
      print(module, c);
      Map<String, Long> counts = tallies.of(hosted.bundle(), Math.min(MOST_COUNTS, left));
      left -= counts.size();
      if (!counts.isEmpty()) {
        counts.forEach(module.putObject("counts")::put);
      }
    }
  }

  /** The modules as the hello lists them. */
  ArrayNode modules(ArrayNode list) {
    Map<String, ModuleCounters> counters = moduleCounters();
    for (Hosted hosted : host.list()) {
      ObjectNode module = list.addObject();
      ModuleCounters c = counters.get(hosted.name());
      module.put("module", hosted.name()).put("version", hosted.version());
      module.put("sha256", hosted.sha256()).put("state", state(c));
      if (c != null && c.quarantined()) {
        module.put("reason", c.reason());
      }
    }
    return list;
  }

  private Map<String, ModuleCounters> moduleCounters() {
    return dispatcher.modules().stream()
        .collect(Collectors.toMap(ModuleCounters::module, Function.identity()));
  }

  private static String state(ModuleCounters counters) {
    return counters != null && counters.quarantined() ? "quarantined" : "running";
  }

  private static void print(ObjectNode json, ModuleCounters c) {
    if (c == null) {
      return; // gone between two questions
    }
    json.put("packets", c.packets()).put("pass", c.pass()).put("drop", c.drop());
    json.put("changed", c.changed()).put("stolen", c.stolen()).put("errors", c.errors());
    json.put("last", c.last());
  }

  private void trace(Request request, ObjectNode reply) throws Refusal, InterruptedException {
    int count = request.number("count", 1, MOST_TRACED);
    Duration timeout = Duration.ofMillis(request.number("timeout", 0, MOST_MILLIS));
    List<TracedPacket> packets;
    try {
      packets = dispatcher.trace(count, timeout);
    } catch (IllegalStateException e) {
      throw Refusal.bad(e.getMessage());
    }
    ArrayNode list = reply.putArray("packets");
    int bytes = 0;
    for (TracedPacket packet : packets) {
      ObjectNode json = print(packet);
      bytes += Json.print(json).length;
      if (bytes > MOST_BYTES) {
        reply.put("cut", packets.size() - list.size());
        return;
      }
      list.add(json);
    }
  }

  private void rules(Request request, ObjectNode reply) throws Refusal, InterruptedException {
    String module = request.text("module");
    for (Hosted hosted : host.list()) {
      if (hosted.name().equals(module)) {
        boards.print(hosted, request.json().path("service").asText(null), reply);
        return;
      }
    }
    throw Refusal.bad("module: no " + module + " here");
  }

  private static ObjectNode print(TracedPacket packet) {
    ObjectNode json = Json.object();
    json.put("seq", packet.seq()).put("source", packet.source());
    json.put("destination", packet.destination()).put("protocol", packet.protocol());
    json.put("length", packet.length());
    ArrayNode steps = json.putArray("steps");
    for (TracedPacket.Step step : packet.steps()) {
      ObjectNode said = steps.addObject();
      said.put("module", step.module()).put("verdict", step.verdict());
      said.put("reason", step.reason());
    }
    return json.put("final", packet.verdict());
  }
}
