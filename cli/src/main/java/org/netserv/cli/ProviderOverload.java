// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.loadmonitor.MonitorConfig;
import org.netserv.loadmonitor.MonitorProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "overload",
    description = {
      "Watch the SIP server on this host. While it has more work than it can do, have the module",
      "Overload Control turn requests away at the edges. One status a second."
    },
    footer = {"", "Example:  netserv provider overload --config overload.yaml"})
final class ProviderOverload extends JsonCommand {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "Settings (docs/overload-guide.md).")
  Path config;

  @Override
  public Integer call() throws Exception {
    MonitorConfig settings;
    try {
      settings = MonitorConfig.read(config);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
    MonitorProcess process = new MonitorProcess(settings, this::tell);
    Runtime.getRuntime().addShutdownHook(new Thread(process::stop));
    process.run();
    return ExitCode.DONE;
  }

  private void tell(Map<String, Object> status) {
    emit(
        MAPPER.valueToTree(status),
        () ->
            out()
                .println(
                    status.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(" "))));
  }
}
