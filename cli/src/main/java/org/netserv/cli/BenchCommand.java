// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.lab.bench.Plan;
import org.netserv.lab.bench.SignalingBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "bench",
    description = "Measure a node of this machine, in network namespaces.",
    subcommands = BenchCommand.Signaling.class,
    footer = {"", "Example:  sudo ./netserv bench signaling --quick"})
final class BenchCommand extends CommandGroup {

  @Command(
      name = "signaling",
      description = {
        "Routing states that a node holds and what each costs, handshakes a second beside a plain exchange of",
        "three datagrams, and how long one handshake takes. Fails when a goal is missed; see docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench signaling --minutes 10"})
  static final class Signaling extends JsonCommand {
    @Option(
        names = "--minutes",
        paramLabel = "N",
        defaultValue = "10",
        description = "How long the states are held (default: ${DEFAULT-VALUE}).")
    int minutes;

    @Option(names = "--quick", description = "10,000 states, one minute, fewer rounds; no stretch.")
    boolean quick;

    @Option(
        names = "--counts",
        description = "States alone, 5,000 for ten seconds: what holds on any machine.")
    boolean counts;

    @Override
    public Integer call() throws CommandException {
      if (minutes < 1 || minutes > 600) {
        throw new CommandException(ExitCode.USAGE, "--minutes is from 1 to 600");
      }
      Plan plan = counts ? Plan.counts() : quick ? Plan.quick() : Plan.full(minutes);
      return show(report -> SignalingBench.run(plan, report));
    }
  }
}
