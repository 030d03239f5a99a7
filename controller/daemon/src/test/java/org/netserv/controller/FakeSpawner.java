// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;

/** A spawner that keeps a list of containers and records its requests. */
public final class FakeSpawner implements Spawner {
  public final List<SpawnerRequest> asked = new ArrayList<>();
  public final Set<String> running = new LinkedHashSet<>();

  /**
   * The uids of containers that were spares. For other containers it reports none, like an older
   * spawner.
   */
  public final Map<String, Long> uids = new HashMap<>();

  /** The uid of the spare that the next start takes; 0 = the start takes none. */
  public long spare;

  /** The reason for which it refuses the verb {@code spares}. */
  public String refuseSpares = "";

  /** Runs before it answers {@code list}. */
  public Runnable beforeList = () -> {};

  public String refuseFastPath = "";

  /** The counting programs of the interfaces of the fast path. */
  public String tc = "link";

  public List<String> filters = List.of();

  /** The same lines as they came, with the number of each claim. */
  public List<String> claims = List.of();

  public String refuseFilters = "";
  public String refuseStart = "";
  public String refuseStop = "";
  public Consumer<String> started = name -> {};
  public Consumer<String> stopped = name -> {};
  public boolean connected = true;

  /**
   * The values of the reply to {@code prepare}. {@link #startedWith} has the values of the reply to
   * {@code start}, beside the process ids.
   */
  public Map<String, String> layers = Map.of("layers", "uid", "missing", "");

  public Map<String, String> startedWith = Map.of();

  /** The values of the reply to {@code list}, beside its containers. */
  public Map<String, String> clock = Map.of();

  /** The values of the reply to {@code stats} about any container. */
  public final Map<String, String> stats = new HashMap<>();

  /** The reply to {@code talkers}. */
  public SpawnerReply talkers = SpawnerReply.refused("fast path: bpfd is not there");

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
        if (spare != 0) {
          uids.put(name, spare);
          values.putAll(Map.of("uid", "" + spare, "spare", "1"));
          spare = 0;
        }
        values.putAll(Map.of("pid", "100", "pktio", "101"));
        return SpawnerReply.done(values);
      }
      case "stop" -> {
        if (!refuseStop.isEmpty()) {
          return SpawnerReply.refused(refuseStop);
        }
        end(name);
        stopped.accept(name);
      }
      case "filters" -> {
        if (!refuseFilters.isEmpty()) {
          return SpawnerReply.refused(refuseFilters);
        }
        // Only the fast path needs the claims' numbers, and its tests tell them apart.
        claims = request.lines();
        filters =
            claims.stream().map(line -> line.replaceAll(" claim=\\d+", "")).distinct().toList();
      }
      case "list" -> {
        beforeList.run();
        return SpawnerReply.done(list());
      }
      case "spares" -> {
        if (!refuseSpares.isEmpty()) {
          return SpawnerReply.refused(refuseSpares);
        }
      }
      case "fastpath" -> {
        return refuseFastPath.isEmpty()
            ? SpawnerReply.done(Map.of("tc", tc))
            : SpawnerReply.refused(refuseFastPath);
      }
      case "prepare" -> {
        return SpawnerReply.done(layers);
      }
      case "stats" -> {
        return SpawnerReply.done(Map.copyOf(stats));
      }
      case "talkers" -> {
        return talkers;
      }
      default -> {}
    }
    return SpawnerReply.done(Map.of());
  }

  private Map<String, String> list() {
    Map<String, String> values = new HashMap<>(clock);
    values.put("containers", String.join(",", running));
    if (!uids.isEmpty()) {
      values.put(
          "uids",
          String.join(
              ",", running.stream().map(name -> "" + uids.getOrDefault(name, 0L)).toList()));
    }
    return values;
  }

  /** Ends a container. */
  public void end(String name) {
    running.remove(name);
    uids.remove(name);
  }

  public long count(String verb) {
    return asked.stream().filter(r -> r.verb().equals(verb)).count();
  }

  @Override
  public boolean connected() {
    return connected;
  }
}
