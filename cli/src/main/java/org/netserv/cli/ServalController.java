// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import org.netserv.cli.serval.controller.ControllerLoop;
import org.netserv.cli.serval.controller.ControllerSettings;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "controller",
    description = {
      "Register the services of this host by signatures, in the foreground, beside its sald.",
      "SIGTERM and Ctrl-C withdraw them. `host up` with --key runs it by itself."
    },
    footer = {"", "Example:  sudo netserv serval controller --key web.key --router 10.2.0.2"})
final class ServalController extends JsonCommand {
  @Mixin ServalOptions options;
  @Mixin ServalControllerOptions controller;
  @Mixin Foreground foreground;

  @Override
  public Integer call() throws CommandException, InterruptedException {
    Path socket = options.state.toAbsolutePath().resolve("sald.sock");
    ControllerSettings settings = controller.settings(Paths.dist().resolve("bin/sald"), socket);
    foreground.run("controller", () -> ControllerLoop.start(settings)::close);
    return ExitCode.DONE;
  }
}
