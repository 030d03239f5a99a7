// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "release",
    description = "Let a quarantined module run again: it is installed anew.",
    footer = {"", "Example:  sudo netserv node release NetServ.apps.KeepAlive"})
final class NodeRelease extends JsonCommand {
  /** Longer than the node waits for the module. */
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  @Mixin Paths paths;

  @Mixin InstalledModule module;

  @Override
  public Integer call() throws Exception {
    ObjectNode reply = AdminClient.ask(paths, module.request("release"), TIMEOUT);
    emit(
        reply,
        () -> out().println(module.name + ": " + Table.printable(reply.path("reason").asText())));
    return ExitCode.DONE;
  }
}
