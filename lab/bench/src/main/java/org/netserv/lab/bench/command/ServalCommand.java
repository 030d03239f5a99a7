// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.command;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.lab.bench.serval.Part;
import org.netserv.lab.bench.serval.ServalBench;
import org.netserv.lab.bench.serval.ServalPlan;
import org.netserv.lab.testbed.base.ReportCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "serval",
    description = {
      "Serval beside what does the same without it, part by part, each with its kinds in turn: a"
          + " datagram that the",
      "kernel routes by its serviceID, rules, registrations, a withdrawal, rate and connect of"
          + " programs by name,",
      "translators, the Java endpoint, moves. One table of goals ends the run, which fails when a"
          + " goal is missed or",
      "was not measured; see docs/benchmarks.md."
    },
    footer = {
      "",
      "Example:  sudo ./netserv bench serval --quick",
      "          sudo ./netserv bench serval --only move,connect"
    })
final class ServalCommand extends ReportCommand {
  @Mixin Rounds rounds = new Rounds(7);

  @Option(
      names = "--only",
      paramLabel = "PART",
      split = ",",
      description =
          "Of router, rules, registrations, withdrawal, tcp, link, connect, translator, endpoint,"
              + " move (default: all).")
  List<String> only = List.of();

  @Option(names = "--quick", description = "Three rounds, shorter measurements.")
  boolean quick;

  @Override
  public Integer call() throws CommandException {
    int count = rounds.number();
    Set<Part> parts = parts(only);
    ServalPlan plan = quick ? ServalPlan.look() : ServalPlan.full(count);
    return show(report -> ServalBench.run(plan, parts, report));
  }

  /** Returns the parts of these names, or all parts without a name. */
  static Set<Part> parts(List<String> names) throws CommandException {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    for (Part part : Part.values()) {
      if (names.isEmpty() || names.contains(part.text())) {
        parts.add(part);
      }
    }
    if (!names.isEmpty() && parts.size() != Set.copyOf(names).size()) {
      throw new CommandException(ExitCode.USAGE, "--only takes " + Part.all());
    }
    return parts;
  }
}
