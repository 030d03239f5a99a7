// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "explain",
    description = "What this node would answer to a SETUP, question by question.",
    footer = {
      "",
      "Example:  netserv policy explain NetServ.apps.KeepAlive --user janedoe --filter-port 5060 --filter-proto udp"
    })
final class PolicyExplain extends JsonCommand {
  @Mixin Paths paths;
  @Mixin FilterOptions filter = new FilterOptions();

  @Parameters(paramLabel = "MODULE", description = "Bundle symbolic name.")
  String module;

  @Option(names = "--user", required = true, paramLabel = "NAME", description = "The publisher.")
  String user;

  @Override
  public Integer call() throws Exception {
    Explanation explanation =
        Explanation.of(PolicyFiles.load(paths), user, ModuleNames.parse(module), filter);
    emit(explanation.document(), () -> explanation.print(out()));
    return explanation.granted() ? ExitCode.DONE : ExitCode.REFUSED;
  }
}
