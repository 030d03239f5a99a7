// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.time.Clock;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.origin.Origin;
import org.netserv.origin.settings.OriginConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "run",
    description = {
      "Run the director in the foreground. SIGTERM and Ctrl-C end it; the modules stay on their",
      "nodes until their TTL is over, and the next process takes them up."
    },
    footer = {"", "Example:  sudo netserv origin run --config origin.yaml"})
final class OriginRun extends JsonCommand {
  @Mixin OriginOptions options;
  @Mixin Foreground foreground;

  @Override
  public Integer call() throws CommandException, InterruptedException {
    OriginConfig config = options.read();
    foreground.run(
        "origin", () -> Origin.start(config, BuildVersion.build(), Clock.systemUTC())::close);
    return ExitCode.DONE;
  }
}
