// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.origin.settings.ConfigFile;
import org.netserv.origin.settings.OriginConfig;
import org.netserv.policy.PolicyException;
import picocli.CommandLine.Option;

/** The option that names origin.yaml. */
final class OriginOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "/etc/netserv-origin/origin.yaml",
      description = "The settings (default: ${DEFAULT-VALUE}).")
  Path config;

  OriginConfig read() throws CommandException {
    try {
      return ConfigFile.read(config);
    } catch (PolicyException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
  }
}
