// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import org.netserv.controller.fastpath.FastPath;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.controller.spawner.FirewallState;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.process.Overload;

/** The part of {@code status} about the node itself. On the loop. */
public final class NodeStatus {
  private final Loop loop;
  private final NodeFacts facts;
  private final Isolation isolation;
  private final FirewallState firewall;
  private final FastPath fastPath;
  private final Overload overload;

  public NodeStatus(
      Loop loop,
      NodeFacts facts,
      Isolation isolation,
      FirewallState firewall,
      FastPath fastPath,
      Overload overload) {
    this.loop = loop;
    this.facts = facts;
    this.isolation = isolation;
    this.firewall = firewall;
    this.fastPath = fastPath;
    this.overload = overload;
  }

  /**
   * Writes identity, isolation, firewall, fast path and load.
   *
   * @param stats the spawner's replies about the publishers, of which the fast path has its sums
   */
  void write(ObjectNode to, Collection<SpawnerReply> stats) {
    to.put("nodeId", facts.nodeId())
        .put("address", facts.address().getHostAddress())
        .put("version", facts.version())
        .put("uptime", (loop.monotonic() - facts.startedAt()) / 1000)
        .put("profile", facts.profile().name());
    isolation(to.putObject("isolation"));
    firewall(to.putObject("firewall"));
    fastPath(to.putObject("fastPath"), stats);
    load(to.putObject("load"));
  }

  private void isolation(ObjectNode to) {
    names(to.putArray("layers"), isolation.layers());
    names(to.putArray("missing"), isolation.missing());
    names(to.putArray("refusing"), isolation.refusing());
    ObjectNode covered = to.putObject("covered");
    isolation.covered().forEach((layer, by) -> names(covered.putArray(layer), by));
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
    fastPath.forward().ifPresent(forward -> to.put("forward", forward.text()));
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

  static void names(ArrayNode to, Collection<String> names) {
    names.forEach(to::add);
  }
}
