// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.time.Clock;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.provider.Provider;
import org.netserv.provider.config.ProviderConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "run",
    description = {
      "Run the provider in the foreground. SIGTERM and Ctrl-C end it; the modules stay on their",
      "nodes until their TTL is over, and the next process takes them up."
    },
    footer = {"", "Example:  sudo netserv provider run --config provider.yaml"})
final class ProviderRun extends JsonCommand {
  @Mixin ProviderOptions options;
  @Mixin Foreground foreground;

  @Override
  public Integer call() throws CommandException, InterruptedException {
    ProviderConfig config = options.read();
    foreground.run(
        "provider", () -> Provider.start(config, BuildVersion.build(), Clock.systemUTC())::close);
    return ExitCode.DONE;
  }
}
