// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.coverage.path.ModuleDraft;
import org.netserv.origin.settings.OriginConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "check",
    description = "Read origin.yaml and the files that it names, and start nothing.",
    footer = {"", "Example:  netserv origin check --config origin.yaml"})
final class OriginCheck extends JsonCommand {
  @Mixin OriginOptions options;

  @Override
  public Integer call() throws CommandException {
    OriginConfig config = options.read();
    try {
      ModuleDraft draft = ModuleDraft.of(config.module());
      String module = draft.name() + "_" + draft.version();
      emit(
          MAPPER.createObjectNode().put("module", module).put("sha256", draft.digest()),
          () -> out().println(module + ", sha256 " + draft.digest()));
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
    return ExitCode.DONE;
  }
}
