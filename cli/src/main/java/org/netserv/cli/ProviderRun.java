// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.process.LogFormat;
import org.netserv.provider.Provider;
import org.netserv.provider.config.ProviderConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "run",
    description = {
      "Run the provider in the foreground. SIGTERM and Ctrl-C end it; the modules stay on their",
      "nodes until their TTL is over, and the next process takes them up."
    },
    footer = {"", "Example:  sudo netserv provider run --config provider.yaml"})
final class ProviderRun extends JsonCommand {
  @Mixin ProviderOptions options;

  @Option(
      names = "--log",
      paramLabel = "LEVEL",
      defaultValue = "info",
      description = "error, warn, info or debug (default: ${DEFAULT-VALUE}).")
  String level;

  @Override
  public Integer call() throws CommandException, InterruptedException {
    ProviderConfig config = options.read();
    LogFormat.install();
    LogFormat.level(level);
    try {
      Provider provider = Provider.start(config, BuildVersion.build(), Clock.systemUTC());
      Runtime.getRuntime().addShutdownHook(new Thread(provider::close, "stop-provider"));
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
    new CountDownLatch(1).await();
    return ExitCode.DONE;
  }
}
