// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.lab.Demo;
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
  public Integer call() {
    return show(report -> Demo.run(quick, report));
  }
}
