// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.List;
import org.netserv.cli.doctor.Finding;
import org.netserv.lab.Demo;
import org.netserv.policy.IsolationPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "demo",
    description = {
      "Show the KeepAlive Responder at work: a SIP server, a NetServ node, a NAT and a thousand user agents,",
      "in network namespaces of this machine; before, while and after the module runs."
    },
    footer = {"", "Example:  ./netserv demo --yes"})
final class DemoCommand extends JsonCommand {
  @Option(names = "--quick", description = "A tenth of the agents and of the time.")
  boolean quick;

  @Override
  public Integer call() throws CommandException {
    List<Finding> findings = DoctorCommand.examine(IsolationPolicy.NONE, new Paths());
    if (DoctorCommand.failed(findings)) {
      DoctorCommand.print(findings, err(), false);
      throw new CommandException(ExitCode.REFUSED, "this machine cannot run a node; see above");
    }
    return show(report -> Demo.run(quick, report));
  }
}
