// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.netserv.controller.admin.AdminException;
import org.netserv.controller.admin.PolicyAdmin;
import org.netserv.frames.Json;
import org.netserv.nslp.BadValueException;
import org.netserv.nslp.Prefix;
import org.netserv.nslp.PublisherKeys;
import org.netserv.policy.ConnectRule;
import org.netserv.policy.Grant;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PolicyException;
import org.netserv.policy.PolicyWriter;
import org.netserv.policy.PortRule;
import org.netserv.policy.PublisherDraft;
import org.netserv.policy.PublisherPolicy;

/** The ops that write policy files. They take force with the reload that follows. */
final class PolicyChanges implements PolicyAdmin {
  private final Path etc;
  private final PolicyWriter writer;
  private final int firstUid;

  PolicyChanges(Path etc, int firstUid) {
    this.etc = etc;
    this.writer = new PolicyWriter(etc);
    this.firstUid = firstUid;
  }

  @Override
  public synchronized ObjectNode change(String op, ObjectNode request) throws AdminException {
    try {
      return switch (op) {
        case "publisher-add" -> add(request);
        case "publisher-revoke" -> publisher(Json.object(), writer.revoke(text(request, "name")));
        case "publisher-list" -> list();
        case "trust-add" ->
            Json.object()
                .put(
                    "anchor", writer.addAnchor(text(request, "name"), text(request, "pem")).name());
        default -> throw new AdminException("unknown op '" + op + "'");
      };
    } catch (PolicyException e) {
      throw new AdminException(e.getMessage(), e);
    } catch (IOException e) {
      throw new AdminException("policy files: " + e, e);
    }
  }

  private ObjectNode add(ObjectNode request) throws AdminException, PolicyException, IOException {
    PublisherDraft draft =
        new PublisherDraft(
            text(request, "name"),
            all(request, "keys", PublisherKeys::readPublic),
            all(request, "prefixes", Prefix::parse),
            all(request, "ports", PortRule::parse),
            all(request, "connect", ConnectRule::parse),
            Set.copyOf(all(request, "grants", PolicyChanges::grant)),
            all(request, "signers", t -> t));
    return publisher(Json.object(), writer.addPublisher(draft, request.path("force").asBoolean()));
  }

  private static Grant grant(String text) throws BadValueException {
    return Arrays.stream(Grant.values())
        .filter(g -> g.text().equals(text))
        .findFirst()
        .orElseThrow(() -> new BadValueException("not a grant: " + text));
  }

  private interface Reader<T> {
    T read(String text) throws BadValueException;
  }

  private static <T> List<T> all(ObjectNode request, String field, Reader<T> reader)
      throws AdminException {
    List<T> values = new ArrayList<>();
    for (JsonNode value : request.path(field)) {
      try {
        values.add(reader.read(value.asText()));
      } catch (BadValueException e) {
        throw new AdminException(field + ": " + e.getMessage(), e);
      }
    }
    return values;
  }

  private static String text(ObjectNode request, String field) throws AdminException {
    if (!request.path(field).isTextual()) {
      throw new AdminException(field + " is missing");
    }
    return request.path(field).asText();
  }

  private ObjectNode list() throws PolicyException {
    ObjectNode answer = Json.object();
    ArrayNode list = answer.putArray("publishers");
    NodePolicy.load(etc).publishers().values().forEach(p -> publisher(list.addObject(), p));
    return answer;
  }

  private ObjectNode publisher(ObjectNode to, PublisherPolicy publisher) {
    return to.put("publisher", publisher.name())
        .put("state", publisher.revoked() ? "revoked" : "admitted")
        .put("uid", firstUid + publisher.index())
        .put("prefixes", words(publisher.prefixes()))
        .put("ports", words(publisher.ports()))
        .put("connect", words(publisher.connect()))
        .put("grants", words(publisher.grants().stream().map(Grant::text).sorted().toList()));
  }

  private static String words(Collection<?> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }
}
