// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.frames.Json;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.values.NodeIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes this node's response entries. */
final class Entries {
  private static final Logger LOG = LoggerFactory.getLogger(Entries.class);
  private static final int REASON_MAX = 500;

  private final NodeIdentity identity;
  private final NodeFacts facts;

  Entries(NodeIdentity identity, NodeFacts facts) {
    this.identity = identity;
    this.facts = facts;
  }

  /**
   * Returns the DATA of an entry: the data of a PROBE, the reason, and the header to blame. The
   * largest parts are left out until DATA fits, and {@code cut} names them.
   */
  static String data(NcmReply reply) {
    ObjectNode data = reply.data() == null ? Json.object() : reply.data().deepCopy();
    String reason = reply.answer().reason();
    data.put("reason", reason.length() > REASON_MAX ? reason.substring(0, REASON_MAX) : reason);
    if (reply.answer().header() != null) {
      data.put("header", reply.answer().header());
    }
    while (bytes(data) > ResponseEntry.MAX_DATA) {
      String largest = largest(data);
      data.remove(largest);
      data.withArray("cut").add(largest);
    }
    return data.toString();
  }

  private static String largest(ObjectNode data) {
    return data.properties().stream()
        .filter(e -> !e.getKey().equals("cut"))
        .max(Map.Entry.comparingByValue((a, b) -> Integer.compare(bytes(a), bytes(b))))
        .orElseThrow()
        .getKey();
  }

  private static int bytes(JsonNode node) {
    return node.toString().getBytes(StandardCharsets.UTF_8).length;
  }

  /**
   * Signs an entry for its place in the stack.
   *
   * @param below the entry below; empty at the bottom
   */
  Optional<ResponseEntry> sign(Tickets.Answer answer, Optional<ResponseEntry> below) {
    try {
      ResponseStack stack =
          ResponseStack.of(below.stream().toList())
              .push(identity, answer.nonce(), facts.address(), answer.status(), answer.data());
      List<ResponseEntry> entries = stack.entries();
      return Optional.of(entries.get(entries.size() - 1));
    } catch (NcmException | IllegalArgumentException e) {
      LOG.error("response entry: {}", e.getMessage());
      return Optional.empty();
    }
  }
}
