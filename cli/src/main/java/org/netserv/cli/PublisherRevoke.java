// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "revoke",
    description = "Take all modules of a publisher down and refuse whatever it sends from now on.",
    footer = {"", "Example:  sudo netserv publisher revoke janedoe"})
final class PublisherRevoke extends JsonCommand {
  @Mixin Paths paths;

  @Parameters(paramLabel = "NAME")
  String name;

  @Override
  public Integer call() throws Exception {
    String done = PolicyFiles.change(paths, writer -> writer.revoke(name));
    emit(
        MAPPER.createObjectNode().put("revoked", name).put("done", done),
        () -> out().println(name + " is revoked; " + done));
    return ExitCode.DONE;
  }
}
