// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.netserv.cli.serval.RouterRules;
import org.netserv.cli.serval.ServiceRules;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "resolve",
    description = {
      "The addresses to which a program connects for a service.",
      "With --router: the targets to which a node's service router sends its connections."
    },
    footer = {
      "",
      "Example:  netserv serval resolve web.serval",
      "          sudo netserv serval resolve 00004001 --router"
    })
final class ServalResolve extends JsonCommand {
  @Mixin ServalOptions options;
  @Mixin RouterOptions node;

  @Parameters(
      paramLabel = "ID",
      description = "A name with a dot, or a serviceID of 1 to 64 hexadecimal digits.")
  String id;

  @Override
  public Integer call() throws CommandException {
    if (node.router) {
      return byRouter();
    }
    String key = id.contains(".") ? "name" : "id";
    ObjectNode reply = options.sald().order("resolve", Map.of(key, id));
    emit(
        reply,
        () -> {
          Table table = new Table("SERVICE", "ADDRESS", "IPV6 ADDRESS");
          table.row(ServalView.fields(reply, "id", "address4", "address6")).print(out());
        });
    return ExitCode.DONE;
  }

  private Integer byRouter() throws CommandException {
    ObjectNode reply = MAPPER.createObjectNode().put("id", ServiceRules.whole(id));
    ArrayNode targets = new RouterRules(id, node.rules(id)).targets();
    reply.set("targets", targets);
    emit(
        reply,
        () -> {
          Table table = new Table("TARGET", "PERCENT", "IN");
          for (JsonNode target : targets) {
            table.row(
                target.path("target").asText(),
                target.path("percent").asInt(),
                target.path("kernel").asBoolean() ? "kernel" : "module");
          }
          table.print(out());
        });
    return ExitCode.DONE;
  }
}
