// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.frames.Json;

/**
 * The ops that only report: {@code status}, {@code health}, {@code counters}, {@code talkers}. On
 * the loop.
 */
final class StatusOps {
  private final NodeStatus node;
  private final ContainerStatus containers;
  private final SpawnerStats spawner;
  private final NcmService service;
  private final Jobs jobs;
  private final SignalingReport signaling;

  StatusOps(AdminAssembly.Reports reports, NcmService service, SignalingReport signaling) {
    this.node = reports.node();
    this.containers = reports.containers();
    this.spawner = reports.spawner();
    this.jobs = reports.jobs();
    this.service = service;
    this.signaling = signaling;
  }

  void status(AdminServer.Reply reply) {
    spawner.of(containers.users(), stats -> spawner.list(list -> reply.send(status(stats, list))));
  }

  private ObjectNode status(Map<String, SpawnerReply> stats, SpawnerReply list) {
    ObjectNode answer = Json.object().put("ok", true);
    node.write(answer, stats.values());
    answer.put("spawner", spawner.ready()).put("storage", service.storage().orElse(""));
    SpawnerStats.loop(answer.putObject("spawnerLoop"), list);
    containers.write(answer, stats);
    answer.put("jobs", jobs.running()).put("spareJobs", list.number("spare-jobs", 0));
    ObjectNode refused = answer.putObject("refusals");
    service.refusals().counts().forEach(refused::put);
    answer.set("signaling", signaling.status());
    return answer;
  }

  /** Tells which daemons answer, in a reply of a few bytes for a service manager. */
  void health(AdminServer.Reply reply) {
    spawner.list(
        list ->
            reply.send(
                Json.object()
                    .put("ok", true)
                    .put("spawner", list.ok() && spawner.ready())
                    .put("signaling", signaling.running())));
  }

  /** Tells the traffic that the kernel counts, or why it counts none. */
  void talkers(ObjectNode request, AdminServer.Reply reply) {
    JsonNode wanted = request.path("most");
    long most = wanted.isMissingNode() ? Talkers.PRESET : wanted.asLong(0);
    if (most < 1 || most > Talkers.MOST) {
      reply.send(AdminOps.error("most: not a number in 1-" + Talkers.MOST));
      return;
    }
    spawner.talkers((int) most, told -> reply.send(Talkers.answer(told)));
  }

  void counters(ObjectNode request, AdminServer.Reply reply) {
    String only = request.path("publisher").asText("");
    List<String> users =
        containers.users().stream().filter(u -> only.isEmpty() || u.equals(only)).toList();
    spawner.of(
        users,
        stats -> {
          ObjectNode answer = Json.object().put("ok", true);
          ArrayNode list = answer.putArray("containers");
          for (String user : users) {
            containers.counters(list.addObject(), user, stats.get(user));
          }
          answer.set("signaling", signaling.counters());
          reply.send(answer);
        });
  }
}
