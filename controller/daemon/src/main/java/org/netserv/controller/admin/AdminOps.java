// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.function.Supplier;
import org.netserv.controller.container.Agent;
import org.netserv.controller.container.Containers;
import org.netserv.frames.Json;

/** The ops of docs/protocols/admin.md, on the loop. */
public final class AdminOps {
  private static final long TRACE_MAX = 60_000;
  private static final long SLACK = 2_000;
  private static final long THREADS = 10_000;

  private final NcmOp ncm;
  private final SignalingOps signaling;
  private final StatusOps status;
  private final OperatorOps operator;
  private final Containers containers;
  private final Supplier<Optional<String>> reload;

  /**
   * Connects the ops of both sockets.
   *
   * @param reload loads policy again and applies it; returns the mistake in the files, if there is
   *     one
   */
  AdminOps(
      NcmOp ncm,
      SignalingOps signaling,
      StatusOps status,
      OperatorOps operator,
      Containers containers,
      Supplier<Optional<String>> reload) {
    this.ncm = ncm;
    this.signaling = signaling;
    this.status = status;
    this.operator = operator;
    this.containers = containers;
    this.reload = reload;
  }

  /** Answers a request of the admin socket. */
  public void admin(ObjectNode request, String source, AdminServer.Reply reply) {
    String op = request.path("op").asText("");
    switch (op) {
      case "ncm" -> ncm.handle(request, source, reply);
      case "status" -> status.status(reply);
      case "health" -> status.health(reply);
      case "counters" -> status.counters(request, reply);
      case "why" -> status.why(request, reply);
      case "release" -> operator.release(request, source, reply);
      case "reset-seq" -> operator.resetSeq(request, source, reply);
      case "trace" -> trace(request, reply);
      case "threads" -> ask(request, Json.object().put("op", "threads"), THREADS, reply);
      case "reload" -> reload(reply);
      default -> reply.send(error("unknown op '" + op + "'"));
    }
  }

  /**
   * Answers a request of the signaling socket: messages with facts about their path, signatures,
   * TRIGGERs, and reports.
   */
  public void signaling(ObjectNode request, String source, AdminServer.Reply reply) {
    signaling.handle(request, source, reply);
  }

  private void trace(ObjectNode request, AdminServer.Reply reply) {
    int count = request.path("count").asInt(10);
    long timeout = request.path("timeout").asLong(10_000);
    if (count < 1 || count > 1000 || timeout < 1 || timeout > TRACE_MAX) {
      reply.send(error("count is 1 to 1000, timeout 1 to " + TRACE_MAX + " ms"));
      return;
    }
    ask(
        request,
        Json.object().put("op", "trace").put("count", count).put("timeout", timeout),
        timeout + SLACK,
        reply);
  }

  /** Passes a question on to the agent of {@code publisher}, and its answer back. */
  private void ask(ObjectNode request, ObjectNode op, long timeout, AdminServer.Reply reply) {
    String publisher = request.path("publisher").asText("");
    Optional<Agent> agent = containers.agent(publisher);
    if (agent.isEmpty()) {
      reply.send(error("publisher '" + publisher + "' has no container that is ready"));
      return;
    }
    agent.get().ask(op, timeout, answer -> reply.send(answer.deepCopy().without("here")));
  }

  private void reload(AdminServer.Reply reply) {
    Optional<String> wrong = reload.get();
    reply.send(wrong.map(AdminOps::error).orElseGet(() -> Json.object().put("ok", true)));
  }

  static ObjectNode error(String text) {
    return Json.object().put("ok", false).put("error", text);
  }
}
