// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.Optional;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.ncm.TriggerRequest;
import org.netserv.frames.Json;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.Trigger;
import org.netserv.values.NodeIdentity;

/** The ops of the signaling socket (docs/protocols/admin.md), on the loop. */
final class SignalingOps {
  private final NcmService service;
  private final NodeIdentity identity;
  private final Entries entries;
  private final Tickets tickets;
  private final SignalingReport report;
  private final SignerList signers;

  SignalingOps(
      NcmService service,
      NodeIdentity identity,
      Entries entries,
      Tickets tickets,
      SignalingReport report,
      SignerList signers) {
    this.service = service;
    this.identity = identity;
    this.entries = entries;
    this.tickets = tickets;
    this.report = report;
    this.signers = signers;
  }

  void handle(ObjectNode request, String source, AdminServer.Reply reply) {
    String op = request.path("op").asText("");
    switch (op) {
      case "ncm" -> ncm(request, source, reply);
      case "trigger" -> trigger(request, source, reply);
      case "sign" -> reply.send(sign(request));
      case "signaling-report" -> {
        report.take(request);
        ObjectNode answer = Json.object().put("ok", true);
        signers.addTo(answer, request.path("publishers").asText(""));
        reply.send(answer);
      }
      default -> reply.send(AdminOps.error("op '" + op + "' is not for the signaling socket"));
    }
  }

  private void ncm(ObjectNode request, String source, AdminServer.Reply reply) {
    Ncm ncm = null;
    try {
      ncm = NcmBinary.decode(NcmOp.tlv(request));
      PathFacts path = PathFacts.read(request);
      byte[] nonce = NcmOp.nonce(ncm);
      NcmRequest asked =
          new NcmRequest(
              ncm,
              source,
              request.path("wait").asLong(NcmOp.WAIT),
              Optional.of(path.destination()),
              path.last(),
              Optional.of(path.origin()));
      service.handle(asked, answer -> reply.send(withTicket(nonce, answer)));
    } catch (NcmException e) {
      reply.send(withTicket(NcmOp.nonce(ncm), service.malformed(e, source)));
    }
  }

  private void trigger(ObjectNode request, String source, AdminServer.Reply reply) {
    Trigger trigger = null;
    try {
      trigger = Trigger.decode(NcmOp.tlv(request));
      PathFacts path = PathFacts.read(request);
      NcmReply answer =
          service.trigger(
              new TriggerRequest(trigger, source, path.origin(), path.destination(), path.last()));
      ObjectNode said = withTicket(trigger.nonce(), answer);
      if (answer.answer().status() == 200) {
        said.put(
            "message", Base64.getEncoder().encodeToString(NcmBinary.encode(trigger.message())));
      }
      reply.send(said);
    } catch (NcmException e) {
      byte[] nonce = trigger == null ? new byte[0] : trigger.nonce();
      reply.send(withTicket(nonce, service.malformed(e, source)));
    }
  }

  private ObjectNode withTicket(byte[] nonce, NcmReply from) {
    ObjectNode reply = NcmOp.fields(from, identity);
    if (NcmOp.addsEntry(from)) {
      reply.put(
          "ticket",
          tickets.issue(new Tickets.Answer(nonce, from.answer().status(), Entries.data(from))));
    }
    return reply;
  }

  private ObjectNode sign(ObjectNode request) {
    Optional<Tickets.Answer> answer = tickets.find(request.path("ticket").asText(""));
    if (answer.isEmpty()) {
      return AdminOps.error("that ticket is not known");
    }
    Optional<ResponseEntry> below = Optional.empty();
    try {
      if (request.path("below").isTextual()) {
        below =
            Optional.of(
                ResponseEntry.decode(Base64.getDecoder().decode(request.path("below").asText())));
      }
    } catch (NcmException | IllegalArgumentException e) {
      return AdminOps.error("below: " + e.getMessage());
    }
    return entries
        .sign(answer.get(), below)
        .map(
            entry ->
                Json.object()
                    .put("ok", true)
                    .put("entry", Base64.getEncoder().encodeToString(entry.encode())))
        .orElseGet(() -> AdminOps.error("the entry cannot be made"));
  }
}
