// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.netserv.controller.container.Container;
import org.netserv.controller.container.Containers;
import org.netserv.controller.container.CounterPoll;
import org.netserv.controller.container.Misdeeds;
import org.netserv.controller.fastpath.FastPath;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.limit.Limits;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.ModuleHistory;
import org.netserv.controller.module.ModuleLife;
import org.netserv.controller.module.Modules;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.controller.ncm.Refusals;
import org.netserv.controller.spawner.FirewallState;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.netserv.frames.Json;
import org.netserv.process.Overload;

/** The ops that change nothing: {@code status}, {@code counters}, {@code why}. On the loop. */
final class StatusOps {
  private final Loop loop;
  private final NodeFacts facts;
  private final String profile;
  private final Spawner spawner;
  private final Isolation isolation;
  private final FirewallState firewall;
  private final FastPath fastPath;
  private final Limits limits;
  private final Containers containers;
  private final Misdeeds misdeeds;
  private final Overload overload;
  private final Modules modules;
  private final CounterPoll counters;
  private final Jobs jobs;
  private final Refusals refusals;
  private final Supplier<Optional<String>> storage;
  private final NcmLog log;
  private final SignalingReport signaling;

  StatusOps(
      Loop loop,
      NodeFacts facts,
      String profile,
      Spawner spawner,
      Isolation isolation,
      FirewallState firewall,
      FastPath fastPath,
      Limits limits,
      Containers containers,
      Misdeeds misdeeds,
      Overload overload,
      Modules modules,
      CounterPoll counters,
      Jobs jobs,
      Refusals refusals,
      Supplier<Optional<String>> storage,
      NcmLog log,
      SignalingReport signaling) {
    this.loop = loop;
    this.facts = facts;
    this.profile = profile;
    this.spawner = spawner;
    this.isolation = isolation;
    this.firewall = firewall;
    this.fastPath = fastPath;
    this.limits = limits;
    this.containers = containers;
    this.misdeeds = misdeeds;
    this.overload = overload;
    this.modules = modules;
    this.counters = counters;
    this.jobs = jobs;
    this.refusals = refusals;
    this.storage = storage;
    this.log = log;
    this.signaling = signaling;
  }

  void status(AdminServer.Reply reply) {
    stats(
        containers.all().stream().map(Container::user).toList(),
        stats -> spawner.request(SpawnerRequest.list(), list -> reply.send(status(stats, list))));
  }

  /** Tells which daemons answer, in a reply of a few bytes for a service manager. */
  void health(AdminServer.Reply reply) {
    spawner.request(
        SpawnerRequest.list(),
        list ->
            reply.send(
                Json.object()
                    .put("ok", true)
                    .put("spawner", list.ok())
                    .put("signaling", signaling.running())));
  }

  /**
   * Adds the times of the spawner's loop, as the spawner measures them. Nothing in its loop may
   * take more than 10 ms.
   */
  private static void spawnerLoop(ObjectNode to, SpawnerReply list) {
    if (list.values().containsKey("loop-over-10ms")) {
      to.put("slowestMicros", list.number("loop-slowest", 0))
          .put("slowestWork", list.values().getOrDefault("loop-work", ""))
          .put("turnsOver10ms", list.number("loop-over-10ms", 0));
    }
  }

  private ObjectNode status(Map<String, SpawnerReply> stats, SpawnerReply spawnersList) {
    ObjectNode answer =
        Json.object()
            .put("ok", true)
            .put("nodeId", facts.nodeId())
            .put("address", facts.address().getHostAddress())
            .put("version", facts.version())
            .put("uptime", (loop.monotonic() - facts.startedAt()) / 1000)
            .put("profile", profile)
            .put("spawner", spawner.connected())
            .put("storage", storage.get().orElse(""));
    spawnerLoop(answer.putObject("spawnerLoop"), spawnersList);
    ObjectNode layers = answer.putObject("isolation");
    names(layers.putArray("layers"), isolation.layers());
    names(layers.putArray("missing"), isolation.missing());
    names(layers.putArray("refusing"), isolation.refusing());
    ObjectNode covered = layers.putObject("covered");
    isolation.covered().forEach((layer, by) -> names(covered.putArray(layer), by));
    firewall(answer.putObject("firewall"));
    fastPath(answer.putObject("fastPath"), stats.values());
    ArrayNode list = answer.putArray("containers");
    TreeSet<String> users = new TreeSet<>();
    containers.all().forEach(c -> users.add(c.user()));
    modules.lives().forEach(l -> users.add(l.key().user()));
    users.forEach(user -> container(list.addObject(), user, stats.get(user)));
    answer.put("spares", containers.sparesWaiting());
    answer.put("jobs", jobs.running());
    ObjectNode refused = answer.putObject("refusals");
    refusals.counts().forEach(refused::put);
    ObjectNode socket = answer.putObject("socketRefusals");
    misdeeds.all().forEach(socket::put);
    load(answer.putObject("load"));
    ObjectNode over = answer.putObject("limits");
    limits
        .texts()
        .forEach(
            (user, texts) -> {
              ObjectNode own = over.putObject(user);
              texts.forEach(own::put);
            });
    answer.set("signaling", signaling.status());
    return answer;
  }

  private void load(ObjectNode to) {
    Overload.Snapshot now = overload.snapshot();
    to.put("state", now.state().word());
    ArrayNode resources = to.putArray("resources");
    for (Overload.Reading reading : now.gauges()) {
      ObjectNode resource =
          resources
              .addObject()
              .put("name", reading.name())
              .put("used", reading.used())
              .put("limit", reading.limit())
              .put("state", reading.state().word());
      ArrayNode refuses = resource.putArray("refuses");
      reading.refuses().forEach(work -> refuses.add(work.word()));
    }
    ObjectNode refused = to.putObject("refused");
    now.refused().forEach((work, count) -> refused.put(work.word(), count));
  }

  private void firewall(ObjectNode to) {
    to.put("state", firewall.standing().name().toLowerCase(Locale.ROOT));
    names(to.putArray("parts"), firewall.missing());
    to.put("why", firewall.why()).put("healed", firewall.healed());
    firewall
        .last()
        .ifPresent(
            damage -> {
              ObjectNode last = to.putObject("last");
              names(last.putArray("parts"), damage.parts());
              last.put("since", Instant.ofEpochMilli(damage.since()).toString());
              if (!damage.lasts()) {
                last.put("millis", damage.millis());
              }
            });
  }

  private void fastPath(ObjectNode to, Collection<SpawnerReply> stats) {
    names(to.putArray("interfaces"), fastPath.interfaces());
    names(to.putArray("features"), fastPath.offered());
    to.put("because", fastPath.refusal());
    names(to.putArray("programs"), fastPath.programs());
    to.put("programsRefused", fastPath.programsRefused());
    long flows = 0;
    long refused = 0;
    for (SpawnerReply reply : stats) {
      flows += reply.number("flows", 0);
      refused += refusedFlows(reply);
    }
    to.put("flows", flows).put("refused", refused);
  }

  /** Sums the flows refused by pktio, which asks for flows, and by bpfd, which grants them. */
  private static long refusedFlows(SpawnerReply stats) {
    long refused = 0;
    for (String key : stats.values().keySet()) {
      boolean refusal = key.startsWith("offload_") && !key.equals("offload_requested");
      refused += refusal || key.startsWith("flows-refused") ? stats.number(key, 0) : 0;
    }
    return refused;
  }

  private void container(ObjectNode to, String user, SpawnerReply stats) {
    to.put("publisher", user).put("state", "idle");
    for (Container container : containers.all()) {
      if (container.user().equals(user)) {
        to.put("state", container.state().text())
            .put("because", container.why())
            .put("pid", container.pid())
            .put("pktio", container.pktio())
            .put("restarts", container.restarts())
            .put("spare", container.spare());
        names(to.putArray("without"), container.without());
        ObjectNode refused = to.putObject("socketRefusals");
        misdeeds.of(container.uid()).forEach(refused::put);
      }
    }
    if (stats != null && stats.ok()) {
      to.put("pid", stats.number("pid", 0))
          .put("pktio", stats.number("pktio", 0))
          .put("memory", stats.number("memory", 0));
    }
    ArrayNode list = to.putArray("modules");
    modules.livesOf(user).forEach(life -> module(list.addObject(), life));
  }

  private static void names(ArrayNode to, Collection<String> names) {
    names.forEach(to::add);
  }

  private void module(ObjectNode to, ModuleLife life) {
    to.put("module", life.key().module())
        .put("version", life.order().version())
        .put("state", modules.state(life))
        .put("because", modules.because(life))
        .put("since", Instant.ofEpochMilli(life.since()).toString())
        .put("packets", counters.of(life.key()).path("packets").asLong(0));
    log.snapshot()
        .module(life.key())
        .map(DesiredModule::deadline)
        .ifPresent(deadline -> to.put("expires", Math.max(0, (deadline - loop.wall()) / 1000)));
  }

  void counters(ObjectNode request, AdminServer.Reply reply) {
    String only = request.path("publisher").asText("");
    List<String> users =
        containers.all().stream()
            .map(Container::user)
            .filter(u -> only.isEmpty() || u.equals(only))
            .toList();
    stats(
        users,
        stats -> {
          ObjectNode answer = Json.object().put("ok", true);
          ArrayNode list = answer.putArray("containers");
          for (String user : users) {
            ObjectNode container = list.addObject().put("publisher", user);
            ObjectNode pktio = container.putObject("pktio");
            stats.get(user).values().forEach((key, value) -> number(pktio, key, value));
            ObjectNode over = container.putObject("limits");
            limits.of(user).forEach(over::put);
            container.set("dispatcher", counters.of(user).path("dispatcher").deepCopy());
            container.set("modules", counters.of(user).path("modules").deepCopy());
          }
          answer.set("signaling", signaling.counters());
          reply.send(answer);
        });
  }

  private static void number(ObjectNode to, String key, String value) {
    try {
      // The counts of met limits have a place of their own, which outlives the container.
      if (!key.equals("id") && !key.startsWith("over-")) {
        to.put(key, Long.parseLong(value));
      }
    } catch (NumberFormatException e) {
      to.put(key, value);
    }
  }

  /**
   * Asks the spawner about all users at once. Each request has one answer, from the spawner or from
   * its client.
   */
  private void stats(List<String> users, Consumer<Map<String, SpawnerReply>> done) {
    Map<String, SpawnerReply> stats = new TreeMap<>();
    if (users.isEmpty()) {
      done.accept(stats);
    }
    for (String user : users) {
      spawner.request(
          SpawnerRequest.stats(user),
          answer -> {
            stats.put(user, answer);
            if (stats.size() == users.size()) {
              done.accept(stats);
            }
          });
    }
  }

  void why(ObjectNode request, AdminServer.Reply reply) {
    String module = request.path("module").asText("");
    String user = request.path("publisher").isTextual() ? request.path("publisher").asText() : null;
    List<ModuleKey> keys = modules.history().find(module, user);
    if (keys.isEmpty()) {
      reply.send(AdminOps.error("nothing is known of a module " + module));
      return;
    }
    if (keys.size() > 1) {
      reply.send(
          AdminOps.error("several publishers have a module " + module + ": say which: " + keys));
      return;
    }
    ModuleKey key = keys.get(0);
    List<ModuleHistory.Entry> history = modules.history().of(key);
    ModuleHistory.Entry now = history.get(history.size() - 1);
    for (ModuleHistory.Entry entry : history) {
      now = entry.limit().isEmpty() ? entry : now;
    }
    ObjectNode answer =
        Json.object()
            .put("ok", true)
            .put("publisher", key.user())
            .put("module", module)
            .put("state", now.state())
            .put("because", now.reason());
    modules.livesOf(key.user()).stream()
        .filter(life -> life.key().equals(key))
        .findFirst()
        .ifPresent(
            life -> answer.put("state", modules.state(life)).put("because", modules.because(life)));
    ArrayNode list = answer.putArray("history");
    for (ModuleHistory.Entry entry : history) {
      list.addObject()
          .put("time", Instant.ofEpochMilli(entry.time()).toString())
          .put("state", entry.state())
          .put("reason", entry.reason());
    }
    reply.send(answer);
  }
}
