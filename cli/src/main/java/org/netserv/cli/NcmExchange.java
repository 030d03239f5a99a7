// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmText;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;

/** Sends one message to a node, checks the signatures of the answer, and prints it. */
final class NcmExchange {
  private NcmExchange() {}

  static int send(ModuleMessage command, Ncm message) throws CommandException {
    ObjectNode request = AdminClient.request("ncm");
    request.put("ncm", NcmText.print(message)).put("wait", command.wait * 1000L);
    ObjectNode reply =
        AdminClient.ask(command.paths, request, Duration.ofSeconds(command.wait + 10L));
    Set<String> known = command.nodeId == null ? Set.of() : Set.of(command.nodeId);
    ArrayNode nodes = entries(message, reply, known);
    reply.remove("stack");
    reply.set("nodes", nodes);
    command.emit(reply, () -> print(command, reply, nodes));
    return exitCode(reply.path("status").asInt());
  }

  /** Decodes the response stack and checks the signature of each entry. */
  private static ArrayNode entries(Ncm message, JsonNode reply, Set<String> known)
      throws CommandException {
    ArrayNode nodes = JsonCommand.MAPPER.createArrayNode();
    try {
      List<ResponseEntry> raw = new java.util.ArrayList<>();
      for (JsonNode entry : reply.path("stack")) {
        raw.add(ResponseEntry.decode(Base64.getDecoder().decode(entry.asText())));
      }
      for (ResponseStack.Checked checked :
          ResponseStack.of(raw).verify(message.nonce().orElseThrow(), known)) {
        ObjectNode node = nodes.addObject();
        node.put("node-id", checked.entry().nodeId());
        node.put("address", checked.entry().address().getHostAddress());
        node.put("status", checked.entry().status());
        node.put("signer", checked.signer().name().toLowerCase(java.util.Locale.ROOT));
        node.set("data", data(checked.entry().data()));
      }
    } catch (NcmException | IllegalArgumentException e) {
      throw new CommandException(
          ExitCode.REFUSED, "the node's answer is damaged: " + e.getMessage(), e);
    }
    return nodes;
  }

  static JsonNode data(String text) {
    try {
      return JsonCommand.MAPPER.readTree(text.isEmpty() ? "{}" : text);
    } catch (JsonProcessingException e) {
      return JsonCommand.MAPPER.getNodeFactory().textNode(text);
    }
  }

  private static void print(ModuleMessage command, JsonNode reply, ArrayNode nodes) {
    String header = reply.path("header").asText("");
    command
        .out()
        .println(
            reply.path("status").asText()
                + " "
                + (header.isEmpty() || header.equals("null") ? "" : header + ": ")
                + Table.printable(reply.path("reason").asText("")));
    for (JsonNode node : nodes) {
      command
          .out()
          .printf(
              "  %s  %s  %s  (signature: %s)%n",
              node.path("node-id").asText(),
              node.path("address").asText(),
              node.path("status").asText(),
              node.path("signer").asText());
      printData(command, node.path("data"));
    }
  }

  /** Prints the fields of an answer, one in each line. */
  static void printData(ModuleMessage command, JsonNode data) {
    data.properties()
        .forEach(
            e ->
                command
                    .out()
                    .println(
                        "    "
                            + Table.printable(e.getKey())
                            + ": "
                            + Table.printable(e.getValue().toString())));
  }

  /**
   * Returns the exit status of an NCM status. 2xx is done, 504 is a time-out of a node, and every
   * other status is a refusal.
   */
  static int exitCode(int status) {
    if (status >= 200 && status < 300) {
      return ExitCode.DONE;
    }
    return status == 504 ? ExitCode.TIMEOUT : ExitCode.REFUSED;
  }
}
