// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.netserv.controller.container.Container;
import org.netserv.controller.container.Containers;
import org.netserv.controller.container.CounterPoll;
import org.netserv.controller.container.Misdeeds;
import org.netserv.controller.limit.Limits;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.FetchedBundles;
import org.netserv.controller.module.ModuleLife;
import org.netserv.controller.module.Modules;
import org.netserv.controller.spawner.SpawnerReply;

/** The parts of {@code status} and {@code counters} about containers and modules. On the loop. */
public final class ContainerStatus {
  private final Loop loop;
  private final Containers containers;
  private final Modules modules;
  private final CounterPoll counters;
  private final Misdeeds misdeeds;
  private final Limits limits;

  public ContainerStatus(
      Loop loop,
      Containers containers,
      Modules modules,
      CounterPoll counters,
      Misdeeds misdeeds,
      Limits limits) {
    this.loop = loop;
    this.containers = containers;
    this.modules = modules;
    this.counters = counters;
    this.misdeeds = misdeeds;
    this.limits = limits;
  }

  /** Returns the publishers that have a container. */
  List<String> users() {
    return containers.all().stream().map(Container::user).toList();
  }

  /**
   * Writes all containers with their modules, the spares and the limits that were met.
   *
   * @param stats the spawner's reply about each publisher that has a container
   */
  void write(ObjectNode to, Map<String, SpawnerReply> stats) {
    ArrayNode list = to.putArray("containers");
    TreeSet<String> users = new TreeSet<>(users());
    modules.lives().forEach(life -> users.add(life.key().user()));
    modules.fetched().all().forEach(bundle -> users.add(bundle.order().key().user()));
    users.forEach(user -> container(list.addObject(), user, stats.get(user)));
    to.put("spares", containers.sparesWaiting());
    ObjectNode refused = to.putObject("socketRefusals");
    misdeeds.all().forEach(refused::put);
    ObjectNode over = to.putObject("limits");
    limits
        .texts()
        .forEach(
            (user, texts) -> {
              ObjectNode own = over.putObject(user);
              texts.forEach(own::put);
            });
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
        NodeStatus.names(to.putArray("without"), container.without());
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
    modules.fetched().all().stream()
        .filter(bundle -> bundle.order().key().user().equals(user))
        .forEach(bundle -> bundle(list.addObject(), bundle));
  }

  /** Writes a bundle that was fetched for a later SETUP. No packet reaches it. */
  private void bundle(ObjectNode to, FetchedBundles.Kept bundle) {
    to.put("module", bundle.order().key().module())
        .put("version", bundle.order().version())
        .put("state", bundle.state())
        .put("because", bundle.because())
        .put("since", Instant.ofEpochMilli(bundle.since()).toString())
        .put("packets", 0);
    modules
        .fetched()
        .here(bundle)
        .ifPresent(
            kept ->
                to.put("bytes", kept.bytes())
                    .put("expires", Math.max(0, (kept.deadline() - loop.wall()) / 1000)));
  }

  private void module(ObjectNode to, ModuleLife life) {
    to.put("module", life.key().module())
        .put("version", life.order().version())
        .put("state", modules.path().state(life))
        .put("because", modules.path().because(life))
        .put("since", Instant.ofEpochMilli(life.since()).toString())
        .put("packets", counters.of(life.key()).path("packets").asLong(0));
    modules
        .deadline(life.key())
        .ifPresent(deadline -> to.put("expires", Math.max(0, (deadline - loop.wall()) / 1000)));
  }

  /** Writes the counters of one publisher's container. */
  void counters(ObjectNode to, String user, SpawnerReply stats) {
    to.put("publisher", user);
    ObjectNode pktio = to.putObject("pktio");
    stats.values().forEach((key, value) -> number(pktio, key, value));
    ObjectNode over = to.putObject("limits");
    limits.of(user).forEach(over::put);
    to.set("dispatcher", counters.of(user).path("dispatcher").deepCopy());
    to.set("modules", counters.of(user).path("modules").deepCopy());
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
}
