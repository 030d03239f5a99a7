// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.Optional;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.NcmService;
import org.netserv.frames.Json;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmText;
import org.netserv.values.NodeIdentity;

/**
 * The op {@code ncm} of the admin socket, which turns JSON into a message and the answer into a
 * signed entry.
 */
final class NcmOp {
  static final long WAIT = 15_000;

  private static final int NOT_ADDRESSED = 421;

  private final NcmService service;
  private final NodeIdentity identity;
  private final Entries entries;

  NcmOp(NcmService service, NodeIdentity identity, Entries entries) {
    this.service = service;
    this.identity = identity;
    this.entries = entries;
  }

  /** Handles a message of the operator. The path of such a message always ends at this node. */
  void handle(ObjectNode request, String source, AdminServer.Reply reply) {
    try {
      Ncm ncm = message(request);
      NcmRequest asked =
          new NcmRequest(ncm, source, request.path("wait").asLong(WAIT), Optional.empty(), true);
      service.handle(asked, answer -> reply.send(withStack(ncm, answer)));
    } catch (NcmException e) {
      reply.send(withStack(null, service.malformed(e, source)));
    }
  }

  static Ncm message(ObjectNode request) throws NcmException {
    JsonNode text = request.path("ncm");
    JsonNode tlv = request.path("tlv");
    if (text.isTextual() == tlv.isTextual()) {
      throw new NcmException(400, null, "exactly one of ncm and tlv is needed");
    }
    return text.isTextual() ? NcmText.parse(text.asText()) : NcmBinary.decode(tlv(request));
  }

  static byte[] tlv(ObjectNode request) throws NcmException {
    try {
      return Base64.getDecoder().decode(request.path("tlv").asText());
    } catch (IllegalArgumentException e) {
      throw new NcmException(400, null, "tlv is not base64");
    }
  }

  /** Returns the fields that the answers on both sockets have. */
  static ObjectNode fields(NcmReply from, NodeIdentity identity) {
    ObjectNode reply =
        Json.object()
            .put("ok", true)
            .put("status", from.answer().status())
            .put("header", from.answer().header())
            .put("reason", from.answer().reason())
            .put("nodeId", identity.nodeId());
    if (from.data() != null) {
      reply.set("data", from.data());
    }
    return reply;
  }

  /**
   * Returns false for a node that is not addressed. Such a node adds nothing to the answer of the
   * addressed nodes.
   */
  static boolean addsEntry(NcmReply reply) {
    return reply.answer().status() != NOT_ADDRESSED;
  }

  static byte[] nonce(Ncm ncm) {
    return ncm == null ? new byte[0] : ncm.nonce().orElse(new byte[0]);
  }

  private ObjectNode withStack(Ncm ncm, NcmReply from) {
    ObjectNode reply = fields(from, identity);
    if (addsEntry(from)) {
      Tickets.Answer answer =
          new Tickets.Answer(nonce(ncm), from.answer().status(), Entries.data(from));
      entries
          .sign(answer, Optional.empty())
          .map(entry -> Base64.getEncoder().encodeToString(entry.encode()))
          .ifPresent(entry -> reply.withArray("stack").add(entry));
    }
    return reply;
  }
}
