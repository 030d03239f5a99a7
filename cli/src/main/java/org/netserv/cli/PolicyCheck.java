// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PublisherPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "check",
    description = "Read all of the node's policy files as the node would; name the first mistake.",
    footer = {"", "Example:  netserv policy check --root /srv/node1"})
final class PolicyCheck extends JsonCommand {
  @Mixin Paths paths;

  @Override
  public Integer call() throws Exception {
    NodePolicy policy = PolicyFiles.load(paths);
    ObjectNode document = MAPPER.createObjectNode();
    document.put("publishers", policy.publishers().size()).put("anchors", policy.anchors().size());
    List<String> remarks = remarks(policy);
    document.set("remarks", MAPPER.valueToTree(remarks));
    emit(
        document,
        () -> {
          out()
              .printf(
                  "%s is good: %d publishers, %d trust anchors%n",
                  paths.etc(), policy.publishers().size(), policy.anchors().size());
          remarks.forEach(remark -> out().println("note: " + remark));
        });
    return ExitCode.DONE;
  }

  /** Lists settings that are valid, but that an operator should have chosen on purpose. */
  private static List<String> remarks(NodePolicy policy) {
    List<String> remarks = new ArrayList<>();
    Set<String> refused = new TreeSet<>(policy.isolation().refusing(policy.isolation().leftOut()));
    if (!refused.isEmpty()) {
      remarks.add(
          "isolation: without "
              + String.join(", ", refused)
              + ": only the operator's own publishers are served");
    }
    if (!policy.isolation().acceptMissing().isEmpty()) {
      remarks.add(
          "isolation: accept-missing: everybody is served without "
              + String.join(", ", new TreeSet<>(policy.isolation().acceptMissing())));
    }
    for (PublisherPolicy publisher : policy.publishers().values()) {
      if (publisher.operator()) {
        remarks.add(publisher.name() + " is the operator's own: served without any layer");
      }
      if (!publisher.listen().isEmpty()) {
        remarks.add(
            publisher.name()
                + " is reached from the network: "
                + publisher.listen().stream().map(Object::toString).collect(joining(", ")));
      }
      if (!publisher.take().isEmpty()) {
        remarks.add(
            publisher.name()
                + " may take connections to "
                + publisher.take().stream().map(Object::toString).collect(joining(", ")));
      }
      if (!publisher.serval().prefixes().isEmpty()) {
        remarks.add(
            publisher.name()
                + " may route serviceIDs of "
                + publisher.serval().prefixes().stream()
                    .map(Object::toString)
                    .collect(joining(", ")));
      }
    }
    return remarks;
  }
}
