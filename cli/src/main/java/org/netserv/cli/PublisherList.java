// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Collection;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.policy.Grant;
import org.netserv.policy.PublisherPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "list",
    description = "The publishers of this node and what they may do.",
    footer = {"", "Example:  netserv publisher list --json"})
final class PublisherList extends JsonCommand {
  @Mixin Paths paths;

  @Override
  public Integer call() throws Exception {
    Collection<PublisherPolicy> publishers = PolicyFiles.load(paths).publishers().values();
    ArrayNode document = MAPPER.createArrayNode();
    Table table = new Table("PUBLISHER", "STATE", "UID", "PREFIXES", "PORTS", "CONNECT", "GRANTS");
    for (PublisherPolicy publisher : publishers) {
      String state = publisher.revoked() ? "revoked" : "admitted";
      String grants =
          String.join(" ", publisher.grants().stream().map(Grant::text).sorted().toList());
      document
          .addObject()
          .put("publisher", publisher.name())
          .put("state", state)
          .put("uid", 700_000 + publisher.index())
          .put("prefixes", words(publisher.prefixes()))
          .put("ports", words(publisher.ports()))
          .put("connect", words(publisher.connect()))
          .put("grants", grants);
      table.row(
          publisher.name(),
          state,
          700_000 + publisher.index(),
          words(publisher.prefixes()),
          words(publisher.ports()),
          words(publisher.connect()),
          grants);
    }
    emit(document, () -> table.print(out()));
    return ExitCode.DONE;
  }

  private static String words(Collection<?> values) {
    return String.join(" ", values.stream().map(String::valueOf).toList());
  }
}
