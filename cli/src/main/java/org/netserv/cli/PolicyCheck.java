// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.policy.NodePolicy;
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
    emit(
        document,
        () ->
            out()
                .printf(
                    "%s is good: %d publishers, %d trust anchors%n",
                    paths.etc(), policy.publishers().size(), policy.anchors().size()));
    return ExitCode.DONE;
  }
}
