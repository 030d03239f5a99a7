// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.coverage.path.ModuleDraft;
import org.netserv.coverage.settings.ModuleSettings;
import org.netserv.provider.config.ProviderConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "check",
    description = "Read provider.yaml and the files that it names, and start nothing.",
    footer = {"", "Example:  netserv provider check --config provider.yaml"})
final class ProviderCheck extends JsonCommand {
  @Mixin ProviderOptions options;

  @Override
  public Integer call() throws CommandException {
    ProviderConfig config = options.read();
    List<String> modules = new ArrayList<>();
    try {
      if (config.keepalive() != null) {
        modules.add(describe("keepalive", config.keepalive().module()));
      }
      if (config.mediaRelay() != null) {
        modules.add(describe("media-relay", config.mediaRelay().module()));
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
    emit(
        MAPPER.createObjectNode().set("modules", MAPPER.valueToTree(modules)),
        () -> modules.forEach(out()::println));
    return ExitCode.DONE;
  }

  private static String describe(String part, ModuleSettings module) throws IOException {
    ModuleDraft draft = ModuleDraft.of(module);
    return part + ": " + draft.name() + "_" + draft.version() + ", sha256 " + draft.digest();
  }
}
