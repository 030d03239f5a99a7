// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.function.Supplier;
import org.netserv.frames.Json;

/** The ops of docs/protocols/admin.md, on the loop. */
public final class AdminOps {
  private final NcmOp ncm;
  private final SignalingOps signaling;
  private final StatusOps status;
  private final OperatorOps operator;
  private final ModuleOps modules;
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
      ModuleOps modules,
      Supplier<Optional<String>> reload) {
    this.ncm = ncm;
    this.signaling = signaling;
    this.status = status;
    this.operator = operator;
    this.modules = modules;
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
      case "talkers" -> status.talkers(request, reply);
      case "why" -> modules.why(request, reply);
      case "release" -> operator.release(request, source, reply);
      case "reset-seq" -> operator.resetSeq(request, source, reply);
      case "trace" -> modules.trace(request, reply);
      case "rules" -> modules.rules(request, reply);
      case "threads" -> modules.threads(request, reply);
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

  private void reload(AdminServer.Reply reply) {
    Optional<String> wrong = reload.get();
    reply.send(wrong.map(AdminOps::error).orElseGet(() -> Json.object().put("ok", true)));
  }

  static ObjectNode error(String text) {
    return Json.object().put("ok", false).put("error", text);
  }
}
