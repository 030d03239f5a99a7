// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.policy.PolicyException;
import org.netserv.provider.config.ConfigFile;
import org.netserv.provider.config.ProviderConfig;
import picocli.CommandLine.Option;

/** The option that names provider.yaml. */
final class ProviderOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "/etc/netserv-provider/provider.yaml",
      description = "The settings (default: ${DEFAULT-VALUE}).")
  Path config;

  ProviderConfig read() throws CommandException {
    try {
      return ConfigFile.read(config);
    } catch (PolicyException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
  }
}
