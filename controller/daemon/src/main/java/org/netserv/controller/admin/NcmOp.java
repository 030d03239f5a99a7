// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.util.Base64;
import java.util.Optional;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.frames.Json;
import org.netserv.nslp.BadValueException;
import org.netserv.nslp.Ncm;
import org.netserv.nslp.NcmBinary;
import org.netserv.nslp.NcmException;
import org.netserv.nslp.NcmText;
import org.netserv.nslp.NodeIdentity;
import org.netserv.nslp.Prefix;
import org.netserv.nslp.ResponseEntry;
import org.netserv.nslp.ResponseStack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The op {@code ncm}: from JSON to a message, and from an answer to a signed response entry. */
final class NcmOp {
  private static final Logger LOG = LoggerFactory.getLogger(NcmOp.class);
  private static final long WAIT = 15_000;

  private final NcmService service;
  private final NodeIdentity identity;
  private final NodeFacts facts;

  NcmOp(NcmService service, NodeIdentity identity, NodeFacts facts) {
    this.service = service;
    this.identity = identity;
    this.facts = facts;
  }

  /**
   * Answers a message.
   *
   * @param path whether facts about the path are believed
   */
  void handle(ObjectNode request, String source, boolean path, AdminServer.Reply reply) {
    try {
      Ncm ncm = message(request);
      NcmRequest asked =
          new NcmRequest(
              ncm,
              source,
              request.path("wait").asLong(WAIT),
              path ? destination(request) : Optional.empty(),
              !path || request.path("path").path("last").asBoolean(false));
      service.handle(asked, answer -> reply.send(answer(ncm, answer)));
    } catch (NcmException e) {
      reply.send(answer(null, service.malformed(e, source)));
    }
  }

  private static Ncm message(ObjectNode request) throws NcmException {
    JsonNode text = request.path("ncm");
    JsonNode tlv = request.path("tlv");
    if (text.isTextual() == tlv.isTextual()) {
      throw new NcmException(400, null, "exactly one of ncm and tlv is needed");
    }
    if (text.isTextual()) {
      return NcmText.parse(text.asText());
    }
    try {
      return NcmBinary.decode(Base64.getDecoder().decode(tlv.asText()));
    } catch (IllegalArgumentException e) {
      throw new NcmException(400, null, "tlv is not base64");
    }
  }

  private static Optional<InetAddress> destination(ObjectNode request) throws NcmException {
    JsonNode destination = request.path("path").path("destination");
    if (!destination.isTextual()) {
      return Optional.empty();
    }
    try {
      // A literal; a name would be looked up.
      return Optional.of(Prefix.parse(destination.asText()).address());
    } catch (BadValueException e) {
      throw new NcmException(400, null, "path.destination: " + e.getMessage());
    }
  }

  private ObjectNode answer(Ncm ncm, NcmReply from) {
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
    // Who is not addressed adds nothing to the answer of those who are.
    if (from.answer().status() != 421) {
      push(reply, ncm, from);
    }
    return reply;
  }

  private void push(ObjectNode reply, Ncm ncm, NcmReply from) {
    ObjectNode data = from.data() == null ? Json.object() : from.data().deepCopy();
    data.put("reason", cut(from.answer().reason()));
    if (from.answer().header() != null) {
      data.put("header", from.answer().header());
    }
    byte[] nonce = ncm == null ? new byte[0] : ncm.nonce().orElse(new byte[0]);
    try {
      ResponseStack stack =
          ResponseStack.EMPTY.push(
              identity, nonce, facts.address(), from.answer().status(), data.toString());
      for (ResponseEntry entry : stack.entries()) {
        reply.withArray("stack").add(Base64.getEncoder().encodeToString(entry.encode()));
      }
    } catch (NcmException | IllegalArgumentException e) {
      LOG.error("response entry: {}", e.getMessage());
    }
  }

  private static String cut(String reason) {
    return reason.length() > 500 ? reason.substring(0, 500) : reason;
  }
}
