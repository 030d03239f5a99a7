// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.netserv.command.CommandException;
import org.netserv.command.CommandGroup;
import org.netserv.command.ExitCode;
import org.netserv.lab.bench.ContainersBench;
import org.netserv.lab.bench.Plan;
import org.netserv.lab.bench.SignalingBench;
import org.netserv.lab.bench.StockMachine;
import org.netserv.lab.bench.cache.CacheBench;
import org.netserv.lab.bench.cache.CachePlan;
import org.netserv.lab.bench.keepalive.KeepAliveBench;
import org.netserv.lab.bench.keepalive.KeepAlivePlan;
import org.netserv.lab.bench.mlffr.MlffrBench;
import org.netserv.lab.bench.mlffr.MlffrPlan;
import org.netserv.lab.bench.overload.OverloadBench;
import org.netserv.lab.bench.overload.OverloadPlan;
import org.netserv.lab.bench.relay.RelayBench;
import org.netserv.lab.bench.relay.RelayPlan;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ReportCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "bench",
    description = "Measure a node of this machine, in network namespaces.",
    subcommands = {
      BenchCommand.Signaling.class,
      BenchCommand.Containers.class,
      BenchCommand.Mlffr.class,
      BenchCommand.MediaRelay.class,
      BenchCommand.KeepAlive.class,
      BenchCommand.ActiveCdn.class,
      BenchCommand.Overload.class,
      ServalCommand.class
    },
    footer = {"", "Example:  sudo ./netserv bench signaling --quick"})
final class BenchCommand extends CommandGroup {

  @Command(
      name = "signaling",
      description = {
        "Routing states that a node holds and what each costs, handshakes a second beside a plain"
            + " exchange of",
        "three datagrams, and how long one handshake takes. Fails when a goal is missed; see"
            + " docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench signaling --minutes 10"})
  static final class Signaling extends ReportCommand {
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
        description = "States alone, 5,000 for 25 seconds: what holds on any machine.")
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

  @Command(
      name = "media-relay",
      description = {
        "Processor time of a relayed packet, delay, loss-free rate and memory of the TURN server in"
            + " a container,",
        "and of coturn on the same node, in turn. Fails when the goal is missed; see"
            + " docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench media-relay --quick"})
  static final class MediaRelay extends ReportCommand {
    @Mixin Rounds rounds = new Rounds(7);

    @Option(
        names = "--per-second",
        paramLabel = "N",
        defaultValue = "8000",
        description =
            "Datagrams that the clients send, each relayed to the peer and back (default:"
                + " ${DEFAULT-VALUE}).")
    int perSecond;

    @Option(names = "--quick", description = "Two rounds, half the rate, no search for it.")
    boolean quick;

    @Option(
        names = "--packets",
        description = "Packets alone, by the module and coturn; no offload, loss or memory.")
    boolean packets;

    @Option(
        names = "--rate",
        description = "The loss-free rate alone, and the cost of a packet at 60,000 a second.")
    boolean rate;

    @Override
    public Integer call() throws CommandException {
      int count = rounds.number();
      if (perSecond < 100 || perSecond > 100_000) {
        throw new CommandException(ExitCode.USAGE, "--per-second is from 100 to 100000");
      }
      RelayPlan plan = quick ? RelayPlan.quick() : RelayPlan.full(count, perSecond);
      if (packets && rate) {
        throw new CommandException(ExitCode.USAGE, "--packets and --rate leave nothing to measure");
      }
      RelayPlan extent = packets ? plan.packets() : rate ? plan.rate() : plan;
      return show(report -> RelayBench.run(extent, report));
    }
  }

  @Command(
      name = "keepalive",
      description = {
        "Processor time of a keep-alive that the module answers at the edge, of one that the node's"
            + " kernel",
        "answers in its place, and of one that Kamailio answers behind the same router, in turn.",
        "Fails when the goal is missed; see docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench keepalive --quick"})
  static final class KeepAlive extends ReportCommand {
    @Mixin Rounds rounds = new Rounds(7);

    @Option(
        names = "--per-second",
        paramLabel = "N",
        defaultValue = "6000",
        description = "Keep-alives of all agents together (default: ${DEFAULT-VALUE}).")
    int perSecond;

    @Option(
        names = "--afxdp",
        description = "The module's packets come by AF_XDP, and not by a netfilter queue.")
    boolean afxdp;

    @Option(names = "--quick", description = "Two rounds, a third of the rate.")
    boolean quick;

    @Override
    public Integer call() throws CommandException {
      int count = rounds.number();
      if (perSecond < 100 || perSecond > 100_000) {
        throw new CommandException(ExitCode.USAGE, "--per-second is from 100 to 100000");
      }
      KeepAlivePlan plan =
          quick ? KeepAlivePlan.quick(afxdp) : KeepAlivePlan.full(afxdp, count, perSecond);
      return show(report -> KeepAliveBench.run(plan, report));
    }
  }

  @Command(
      name = "activecdn",
      description = {
        "Processor time of a cache hit, and the wait for a cold object, by ActiveCDN in a container,"
            + " and by nginx and",
        "Varnish on the same node, in turn. Fails when a goal is missed; see docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench activecdn --quick"})
  static final class ActiveCdn extends ReportCommand {
    @Mixin Rounds rounds = new Rounds(7);

    @Option(names = "--quick", description = "One round, half as long.")
    boolean quick;

    @Override
    public Integer call() throws CommandException {
      int count = rounds.number();
      CachePlan plan = quick ? CachePlan.quick() : CachePlan.full(count);
      return show(report -> CacheBench.run(plan, report));
    }
  }

  @Command(
      name = "overload",
      description = {
        "A flood of 2,000 INVITE/s to a Kamailio that can do some 460, alone and with the module at"
            + " both edges,",
        "by UDP and by TCP, in turn. Fails when a goal is missed; see docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench overload --quick"})
  static final class Overload extends ReportCommand {
    @Mixin Rounds rounds = new Rounds(7);

    @Option(names = "--quick", description = "One round, shorter floods.")
    boolean quick;

    @Override
    public Integer call() throws CommandException {
      int count = rounds.number();
      OverloadPlan plan = quick ? OverloadPlan.quick() : OverloadPlan.full(count);
      return show(report -> OverloadBench.run(plan, report));
    }
  }

  @Command(
      name = "containers",
      description = {
        "Memory of a publisher's container, and the time from its SETUP to the first packet that"
            + " its module",
        "answers. Fails when a goal is missed; see docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench containers --quick"})
  static final class Containers extends ReportCommand {
    @Option(
        names = "--publishers",
        paramLabel = "N",
        defaultValue = "30",
        description = "Each with a container and a module (default: ${DEFAULT-VALUE}).")
    int publishers;

    @Mixin Rounds rounds = new Rounds(3);

    @Option(
        names = "--only",
        paramLabel = "KIND",
        split = ",",
        description =
            "Of cold, spare, both, fetched, prepared: what waits for a SETUP; of server-cold,"
                + " server-spare, server-both: the same for publishers that may listen (default: all). Each kind"
                + " has as many SETUPs as publishers times rounds.")
    List<String> only = List.of();

    @Option(names = "--quick", description = "Six publishers, one round.")
    boolean quick;

    @Override
    public Integer call() throws CommandException {
      int count = rounds.number();
      if (publishers < 1 || publishers > 200) {
        throw new CommandException(ExitCode.USAGE, "--publishers is from 1 to 200");
      }
      Set<ContainersBench.Kind> kinds = kinds();
      return show(
          report -> ContainersBench.run(quick ? 6 : publishers, quick ? 1 : count, kinds, report));
    }

    private Set<ContainersBench.Kind> kinds() throws CommandException {
      Set<ContainersBench.Kind> kinds = EnumSet.noneOf(ContainersBench.Kind.class);
      for (ContainersBench.Kind kind : ContainersBench.Kind.values()) {
        if (only.isEmpty() || only.contains(kind.text())) {
          kinds.add(kind);
        }
      }
      if (!only.isEmpty() && kinds.size() != Set.copyOf(only).size()) {
        throw new CommandException(
            ExitCode.USAGE,
            "--only takes cold, spare, both, fetched, prepared, server-cold, server-spare and"
                + " server-both");
      }
      return kinds;
    }
  }

  @Command(
      name = "mlffr",
      description = {
        "The highest rate that a router forwards without loss, and what a packet costs: the kernel"
            + " alone, C and",
        "Java behind its queue, modules, one beside the other. Fails when a goal is missed; see"
            + " docs/benchmarks.md."
      },
      footer = {"", "Example:  sudo ./netserv bench mlffr --only queue,java --repetitions 3"})
  static final class Mlffr extends ReportCommand {
    @Option(
        names = "--repetitions",
        paramLabel = "N",
        defaultValue = "5",
        description = "Of all rows, one after the other (default: ${DEFAULT-VALUE}).")
    int repetitions;

    @Option(
        names = "--only",
        paramLabel = "NAME",
        split = ",",
        description = "These rows alone; a name that does not exist tells all.")
    List<String> only = List.of();

    @Option(
        names = "--chart",
        paramLabel = "FILE",
        description = "Where the SVG chart goes (default: target/mlffr.svg of the project).")
    Path chart;

    @Option(names = "--quick", description = "Three rows, once: a minute.")
    boolean quick;

    @Option(
        names = "--counts",
        description = "Counts and the ratio of instructions alone: what holds on any machine.")
    boolean counts;

    @Option(
        names = "--exact",
        description = {
          "Instructions per packet of each row with one processor, in a stock release (lab vm): the"
              + " same",
          "on any host. Fails when a row takes 2 %% more than lab/expected/instructions.txt says."
        })
    boolean exact;

    @Option(
        names = "--suite",
        paramLabel = "NAME",
        defaultValue = "trixie",
        description = "Of --exact: bookworm or trixie (default: ${DEFAULT-VALUE}).")
    String suite;

    @Override
    public Integer call() throws CommandException {
      if (exact && !StockMachine.here()) {
        return inStockMachine();
      }
      if (repetitions < 1 || repetitions > 100) {
        throw new CommandException(ExitCode.USAGE, "--repetitions is from 1 to 100");
      }
      MlffrPlan plan =
          exact
              ? MlffrPlan.exact(only)
              : counts
                  ? MlffrPlan.counts()
                  : quick ? MlffrPlan.quick(only) : MlffrPlan.full(repetitions, only);
      Path file = chart == null ? LabHome.home().resolve("target/mlffr.svg") : chart;
      return show(report -> MlffrBench.run(plan, counts || exact ? null : file, report));
    }

    private int inStockMachine() throws CommandException {
      if (!suite.equals("bookworm") && !suite.equals("trixie")) {
        throw new CommandException(
            ExitCode.USAGE, "--suite: '" + suite + "' is neither bookworm nor trixie");
      }
      for (String name : only) {
        if (!name.matches("[a-z0-9-]+")) {
          throw new CommandException(ExitCode.USAGE, "--only: there is no '" + name + "'");
        }
      }
      String rows = only.isEmpty() ? "" : " --only " + String.join(",", only);
      try {
        return StockMachine.run(
            suite, "./netserv bench mlffr --exact" + rows + (json ? " --json" : ""));
      } catch (IOException e) {
        throw new CommandException(ExitCode.REFUSED, "lab vm: " + e.getMessage());
      }
    }
  }
}
