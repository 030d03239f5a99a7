// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import java.util.ArrayList;
import org.netserv.command.CommandException;
import org.netserv.command.CommandProvider.Preflight;
import org.netserv.command.ExitCode;
import org.netserv.lab.scenarios.Demo;
import org.netserv.lab.scenarios.Demos;
import org.netserv.lab.testbed.base.ReportCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "demo",
    description = {
      "Show the KeepAlive Responder at work: a SIP server, a NetServ node, a NAT and a thousand user agents,",
      "in network namespaces of this machine; before, while and after the module runs. With a name: what a",
      "publisher gains by one module, as a table and a chart."
    },
    footer = {
      "",
      "Example:  ./netserv demo --yes",
      "          ./netserv demo overload --quick --watch"
    })
final class DemoCommand extends ReportCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = {
        "keepalive    keep-alives answered at the edge, agents behind a NAT still called",
        "media-relay  a call by the provider's far relay, and by the edge's",
        "overload     a flood of INVITEs, and honest calls beside it",
        "activecdn    an image and a video from a far web server, and from the edge",
        "Without a name: the first demo."
      })
  String name;

  @Option(names = "--quick", description = "Less of everything, for a look.")
  boolean quick;

  @Option(
      names = "--watch",
      description = "Serve the nodes' dashboards beside it, and print their links.")
  boolean watch;

  private final Preflight preflight;

  DemoCommand(Preflight preflight) {
    this.preflight = preflight;
  }

  @Override
  public Integer call() throws CommandException {
    if (name != null && !Demos.names().contains(name)) {
      throw new CommandException(
          ExitCode.USAGE,
          "'" + name + "' is no demo; there are " + String.join(", ", Demos.names()));
    }
    preflight.check(err());
    return show(
        report ->
            name == null ? Demo.run(quick, watch, report) : Demos.run(name, quick, watch, report));
  }

  /** The names for the completion of a shell. */
  static final class Names extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Names() {
      super(Demos.names());
    }
  }
}
