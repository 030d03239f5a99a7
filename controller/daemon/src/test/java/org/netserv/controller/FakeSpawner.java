// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;

/** A spawner that keeps a list of containers and remembers what it was asked. */
public final class FakeSpawner implements Spawner {
  public final List<SpawnerRequest> asked = new ArrayList<>();
  public final Set<String> running = new HashSet<>();
  public List<String> filters = List.of();
  public String refuseFilters = "";
  public String refuseStart = "";
  public Consumer<String> started = name -> {};
  public Consumer<String> stopped = name -> {};
  public boolean connected = true;

  /** What it answers to {@code prepare}, and beside the process ids to {@code start}. */
  public Map<String, String> layers = Map.of("layers", "uid", "missing", "");

  public Map<String, String> startedWith = Map.of();

  /** What it answers to {@code stats} about any container. */
  public final Map<String, String> stats = new HashMap<>();

  private final Loop loop;

  public FakeSpawner(Loop loop) {
    this.loop = loop;
  }

  @Override
  public void request(SpawnerRequest request, Consumer<SpawnerReply> reply) {
    asked.add(request);
    loop.execute(
        () ->
            reply.accept(
                connected ? answer(request) : SpawnerReply.refused("spawner: not connected")));
  }

  private SpawnerReply answer(SpawnerRequest request) {
    String name = request.values().getOrDefault("container", "");
    switch (request.verb()) {
      case "start" -> {
        if (!refuseStart.isEmpty()) {
          return SpawnerReply.refused(refuseStart);
        }
        if (!running.add(name)) {
          return SpawnerReply.refused("exists");
        }
        started.accept(name);
        Map<String, String> values = new HashMap<>(startedWith);
        values.putAll(Map.of("pid", "100", "pktio", "101"));
        return SpawnerReply.done(values);
      }
      case "stop" -> {
        running.remove(name);
        stopped.accept(name);
      }
      case "filters" -> {
        if (!refuseFilters.isEmpty()) {
          return SpawnerReply.refused(refuseFilters);
        }
        filters = request.lines();
      }
      case "list" -> {
        return SpawnerReply.done(Map.of("containers", String.join(",", running)));
      }
      case "prepare" -> {
        return SpawnerReply.done(layers);
      }
      case "stats" -> {
        return SpawnerReply.done(Map.copyOf(stats));
      }
      default -> {}
    }
    return SpawnerReply.done(Map.of());
  }

  public long count(String verb) {
    return asked.stream().filter(r -> r.verb().equals(verb)).count();
  }

  @Override
  public boolean connected() {
    return connected;
  }
}
