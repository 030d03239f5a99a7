// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import java.nio.file.Path;
import java.util.List;
import org.netserv.command.CommandException;
import org.netserv.command.CommandGroup;
import org.netserv.command.ExitCode;
import org.netserv.lab.testbed.Lab;
import org.netserv.lab.testbed.base.ReportCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "lab",
    description = "Testbeds in network namespaces, made from one topology file.",
    subcommands = {
      LabCommand.Up.class,
      LabCommand.Down.class,
      LabCommand.ListLabs.class,
      LabCommand.Exec.class,
      LabCommand.Graph.class,
      LabCommand.Export.class,
      LabCommand.Run.class
    },
    footer = {"", "Example:  ./netserv lab up lab/topologies/keepalive.yaml"})
final class LabCommand extends CommandGroup {

  @Command(
      name = "up",
      description = "Make the namespaces, links and daemons of a topology.",
      footer = {"", "Example:  sudo ./netserv lab up lab/topologies/keepalive.yaml"})
  static final class Up extends ReportCommand {
    @Parameters(paramLabel = "FILE", description = "Topology file.")
    Path file;

    @Override
    public Integer call() throws Exception {
      return done(file.toString(), Lab.up(file, text()));
    }
  }

  @Command(
      name = "down",
      description = "Take a testbed away, with everything in it.",
      footer = {"", "Example:  sudo ./netserv lab down keepalive"})
  static final class Down extends ReportCommand {
    @Parameters(paramLabel = "LAB", description = "Name of the testbed.")
    String name;

    @Override
    public Integer call() throws Exception {
      return done(name, Lab.down(name, text()));
    }
  }

  @Command(
      name = "list",
      description = "List the testbeds that are up.",
      footer = {"", "Example:  ./netserv lab list"})
  static final class ListLabs extends ReportCommand {
    @Override
    public Integer call() throws Exception {
      List<String> labs = Lab.list();
      emit(MAPPER.valueToTree(labs), () -> labs.forEach(out()::println));
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "exec",
      description = "Run a program inside one node of a testbed.",
      footer = {"", "Example:  sudo ./netserv lab exec keepalive node ip -br address"})
  static final class Exec extends ReportCommand {
    @Parameters(index = "0", paramLabel = "LAB")
    String lab;

    @Parameters(index = "1", paramLabel = "NODE")
    String node;

    @Parameters(index = "2..*", arity = "1..*", paramLabel = "PROGRAM")
    List<String> program;

    @Override
    public Integer call() throws Exception {
      // Everything after the node belongs to the program, except the customary "--" before it.
      boolean dashes = program.get(0).equals("--");
      return Lab.exec(lab, node, dashes ? program.subList(1, program.size()) : program);
    }
  }

  @Command(
      name = "graph",
      description = {
        "Draw a topology.",
        "With --probe, of a lab that is up: and on it the path that the response stack revealed."
      },
      footer = {
        "",
        "Example:  ./netserv lab graph lab/topologies/keepalive.yaml --svg keepalive.svg",
        "          sudo ./netserv lab graph path --probe"
      })
  static final class Graph extends ReportCommand {
    @Parameters(paramLabel = "TOPOLOGY", description = "A file, or a name from lab/topologies.")
    String topology;

    @Option(names = "--svg", paramLabel = "OUT", description = "Write an SVG there.")
    Path svg;

    @Option(names = "--probe", description = "Send a PROBE through the lab, as a stranger.")
    boolean probe;

    @Option(
        names = "--from",
        paramLabel = "NODE",
        description = "Who asks (default: the first node).")
    String from;

    @Option(
        names = "--to",
        paramLabel = "NODE|ADDRESS",
        description =
            "Where the path leads (default: the node user; its NAT's address behind one).")
    String to;

    @Override
    public Integer call() throws Exception {
      if (json) {
        emit(Lab.describe(topology), () -> {});
        return ExitCode.DONE;
      }
      return Lab.graph(topology, probe ? new Lab.Probe(from, to) : null, svg, System.out);
    }
  }

  @Command(
      name = "export",
      description = "Write a topology as a request for a slice of a testbed of real machines.",
      footer = {
        "",
        "Example:  ./netserv lab export --rspec lab/topologies/path.yaml --archive"
            + " https://files.example/slice.tar.gz"
      })
  static final class Export extends ReportCommand {
    @Parameters(paramLabel = "FILE", description = "Topology file.")
    Path file;

    @Option(
        names = "--rspec",
        required = true,
        description = "As a GENI RSpec, version 3: LAB.rspec; with the script install.sh.")
    boolean rspec;

    @Option(
        names = "--archive",
        required = true,
        paramLabel = "URL",
        description = "Where the machines get the archive that install.sh describes.")
    String archive;

    @Option(
        names = "--into",
        paramLabel = "DIRECTORY",
        defaultValue = ".",
        description = "Where to write both (default: here).")
    Path into;

    @Override
    public Integer call() throws Exception {
      return done(file.toString(), Lab.export(file, archive, into, text()));
    }
  }

  @Command(
      name = "run",
      description =
          "Run a scenario: build its testbed, act, print a table and a verdict, clean up."
              + " Scenarios of one topology that follow each other share a testbed.",
      footer = {"", "Example:  ./netserv lab run kill-9"})
  static final class Run extends ReportCommand {
    @Parameters(
        paramLabel = "NAME",
        arity = "0..*",
        description = "Scenarios; without one they are listed.")
    List<String> names = List.of();

    @Option(
        names = "--jdk",
        paramLabel = "VERSION",
        description = "JDK that the nodes run on: 17 or 25; the default is the one that runs this.")
    int jdk;

    @Option(
        names = "--only",
        paramLabel = "REGEX",
        defaultValue = "",
        description =
            "Only the parts with this in their names: attempts of deny-matrix, planes of"
                + " spoofed-turn, layers of layers.")
    String only;

    @Option(
        names = "--minutes",
        paramLabel = "N",
        description = {
          "How long soak takes, or activecdn-load; the default is 30, or 10.",
          "overload: a flood of ten times the server's rate for so long, instead of its phases."
        })
    int minutes;

    @Option(
        names = "--quick",
        description = {
          "The short form of noisy-neighbour: counts at one rate, on one processor;",
          "of overload, media-relay, provider: less is played, and counts alone are judged;",
          "of activecdn-load: half a minute."
        })
    boolean quick;

    @Option(
        names = "--lacking",
        paramLabel = "WHAT",
        defaultValue = "",
        description =
            "What the kernel of its nodes is to lack, such as landlock-net or landlock-abi-2"
                + " (Linux 6.1); bin/lab-lacking has the list.")
    String lacking;

    @Option(
        names = "--runs",
        paramLabel = "N",
        defaultValue = "1",
        description =
            "How often media-relay plays the combinations of coturn's client; the default is 1.")
    int runs;

    @Override
    public Integer call() throws Exception {
      if (names.isEmpty()) {
        List<String> all = LabRuns.names();
        emit(MAPPER.valueToTree(all), () -> all.forEach(out()::println));
        return ExitCode.DONE;
      }
      if (minutes < 0 || minutes > 600) {
        throw new CommandException(ExitCode.USAGE, "--minutes is from 1 to 600");
      }
      if (runs < 1 || runs > 100) {
        throw new CommandException(ExitCode.USAGE, "--runs is from 1 to 100");
      }
      if (!lacking.matches("[a-z0-9,-]*")) {
        throw new CommandException(ExitCode.USAGE, "--lacking " + lacking + ": no such thing");
      }
      LabRuns.Options options = new LabRuns.Options(jdk, only, minutes, quick, lacking, runs);
      return show(report -> LabRuns.run(names, options, report));
    }
  }
}
