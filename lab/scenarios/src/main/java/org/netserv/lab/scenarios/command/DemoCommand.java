// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import org.netserv.command.CommandException;
import org.netserv.command.CommandProvider.Preflight;
import org.netserv.lab.scenarios.Demo;
import org.netserv.lab.testbed.base.ReportCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "demo",
    description = {
      "Show the KeepAlive Responder at work: a SIP server, a NetServ node, a NAT and a thousand user agents,",
      "in network namespaces of this machine; before, while and after the module runs."
    },
    footer = {"", "Example:  ./netserv demo --yes"})
final class DemoCommand extends ReportCommand {
  @Option(names = "--quick", description = "A tenth of the agents and of the time.")
  boolean quick;

  private final Preflight preflight;

  DemoCommand(Preflight preflight) {
    this.preflight = preflight;
  }

  @Override
  public Integer call() throws CommandException {
    preflight.check(err());
    return show(report -> Demo.run(quick, report));
  }
}
