// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.netserv.lab.scenarios.ActiveCdnLoad;
import org.netserv.lab.scenarios.ActiveCdnRun;
import org.netserv.lab.scenarios.AfXdp;
import org.netserv.lab.scenarios.Egress;
import org.netserv.lab.scenarios.Faults;
import org.netserv.lab.scenarios.Firewall;
import org.netserv.lab.scenarios.FlashCrowd;
import org.netserv.lab.scenarios.FullDisk;
import org.netserv.lab.scenarios.HostileAgent;
import org.netserv.lab.scenarios.Installation;
import org.netserv.lab.scenarios.Ipfix;
import org.netserv.lab.scenarios.KeepAliveSip;
import org.netserv.lab.scenarios.Kill9;
import org.netserv.lab.scenarios.Layers;
import org.netserv.lab.scenarios.MediaRelayRun;
import org.netserv.lab.scenarios.Monitor;
import org.netserv.lab.scenarios.MonitorPage;
import org.netserv.lab.scenarios.NoisyNeighbour;
import org.netserv.lab.scenarios.Offload;
import org.netserv.lab.scenarios.OriginRun;
import org.netserv.lab.scenarios.Overload;
import org.netserv.lab.scenarios.OwnPrograms;
import org.netserv.lab.scenarios.PathRun;
import org.netserv.lab.scenarios.PeerRestart;
import org.netserv.lab.scenarios.Prepared;
import org.netserv.lab.scenarios.ProviderRun;
import org.netserv.lab.scenarios.QueryFlood;
import org.netserv.lab.scenarios.QuickNoise;
import org.netserv.lab.scenarios.RefusalsRun;
import org.netserv.lab.scenarios.Reroute;
import org.netserv.lab.scenarios.ReversePath;
import org.netserv.lab.scenarios.Scenario;
import org.netserv.lab.scenarios.ServalControllersRun;
import org.netserv.lab.scenarios.ServalFlood;
import org.netserv.lab.scenarios.ServalInterfaces;
import org.netserv.lab.scenarios.ServalKill9;
import org.netserv.lab.scenarios.ServalMany;
import org.netserv.lab.scenarios.ServalMemcachedRun;
import org.netserv.lab.scenarios.ServalMobile;
import org.netserv.lab.scenarios.ServalNat;
import org.netserv.lab.scenarios.ServalProgramsRun;
import org.netserv.lab.scenarios.ServalRouterRun;
import org.netserv.lab.scenarios.ServalSecurity;
import org.netserv.lab.scenarios.ServalTranslatorsRun;
import org.netserv.lab.scenarios.ServalV6;
import org.netserv.lab.scenarios.ServalWebRun;
import org.netserv.lab.scenarios.Servers;
import org.netserv.lab.scenarios.Soak;
import org.netserv.lab.scenarios.SpoofedTurn;
import org.netserv.lab.scenarios.Stage;
import org.netserv.lab.scenarios.StrangerFloodRun;
import org.netserv.lab.scenarios.Transparent;
import org.netserv.lab.scenarios.Turned;
import org.netserv.lab.scenarios.Upcalls;
import org.netserv.lab.scenarios.WatermarkRun;
import org.netserv.lab.scenarios.deny.DenyMatrix;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.topology.TopologyException;

/** The scenarios by name. */
public final class LabRuns {
  static final Map<String, Supplier<Scenario>> SCENARIOS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("activecdn", ActiveCdnRun::new),
              Map.entry("activecdn-load", ActiveCdnLoad::full),
              Map.entry("afxdp", AfXdp::new),
              Map.entry("busy-spawner", Kill9::busySpawner),
              Map.entry("deny-matrix", DenyMatrix::new),
              Map.entry("egress", Egress::new),
              Map.entry("faults", Faults::new),
              Map.entry("firewall", Firewall::new),
              Map.entry("flash-crowd", FlashCrowd::new),
              Map.entry("full-disk", FullDisk::new),
              Map.entry("hostile-agent", HostileAgent::new),
              Map.entry("install", Installation::new),
              Map.entry("ipfix", Ipfix::new),
              Map.entry("keepalive-sip", KeepAliveSip::new),
              Map.entry("kill-9", Kill9::whole),
              Map.entry("layers", Layers::new),
              Map.entry("media-relay", MediaRelayRun::whole),
              Map.entry("monitor", Monitor::new),
              Map.entry("monitor-page", MonitorPage::new),
              Map.entry("noisy-neighbour", NoisyNeighbour::new),
              Map.entry("offload", Offload::new),
              Map.entry("origin", OriginRun::new),
              Map.entry("overload", Overload::full),
              Map.entry("own-programs", OwnPrograms::new),
              Map.entry("path", PathRun::plain),
              Map.entry("path-asymmetric", PathRun::asymmetric),
              Map.entry("path-lossy", PathRun::lossy),
              Map.entry("path-nat", PathRun::nat),
              Map.entry("path-reroute", Reroute::new),
              Map.entry("peer-restart", PeerRestart::new),
              Map.entry("prepared", Prepared::new),
              Map.entry("provider", ProviderRun::full),
              Map.entry("query-flood", QueryFlood::new),
              Map.entry("refusals", RefusalsRun::new),
              Map.entry("reverse-path", ReversePath::new),
              Map.entry("serval-controllers", ServalControllersRun::full),
              Map.entry("serval-flood", ServalFlood::full),
              Map.entry("serval-interfaces", ServalInterfaces::full),
              Map.entry("serval-kill-9", ServalKill9::full),
              Map.entry("serval-memcached", ServalMemcachedRun::full),
              Map.entry("serval-mobile", ServalMobile::full),
              Map.entry("serval-many", ServalMany::new),
              Map.entry("serval-nat", ServalNat::new),
              Map.entry("serval-programs", ServalProgramsRun::new),
              Map.entry("serval-router", ServalRouterRun::new),
              Map.entry("serval-security", ServalSecurity::full),
              Map.entry("serval-translators", ServalTranslatorsRun::new),
              Map.entry("serval-v6", ServalV6::new),
              Map.entry("serval-web", ServalWebRun::full),
              Map.entry("servers", Servers::new),
              Map.entry("soak", Soak::new),
              Map.entry("spoofed-turn", SpoofedTurn::new),
              Map.entry("stranger-flood", StrangerFloodRun::new),
              Map.entry("transparent", Transparent::new),
              Map.entry("turned", Turned::new),
              Map.entry("upcalls", Upcalls::new),
              Map.entry("watermark", WatermarkRun::new)));

  /** Short forms of scenarios, for {@code --quick}. */
  static final Map<String, Supplier<Scenario>> QUICK =
      Map.ofEntries(
          Map.entry("activecdn-load", ActiveCdnLoad::quick),
          Map.entry("media-relay", MediaRelayRun::quick),
          Map.entry("noisy-neighbour", QuickNoise::new),
          Map.entry("overload", Overload::quick),
          Map.entry("provider", ProviderRun::quick),
          Map.entry("serval-controllers", ServalControllersRun::quick),
          Map.entry("serval-flood", ServalFlood::quick),
          Map.entry("serval-interfaces", ServalInterfaces::quick),
          Map.entry("serval-kill-9", ServalKill9::quick),
          Map.entry("serval-memcached", ServalMemcachedRun::quick),
          Map.entry("serval-mobile", ServalMobile::quick),
          Map.entry("serval-security", ServalSecurity::quick),
          Map.entry("serval-web", ServalWebRun::quick));

  private LabRuns() {}

  public static List<String> names() {
    return List.copyOf(SCENARIOS.keySet());
  }

  /**
   * Options of a run.
   *
   * @param jdk version that its nodes run on; 0 = the JDK that runs this command
   * @param only regular expression that is searched in the names of parts; empty = all parts
   * @param minutes duration of a scenario that soaks; 0 = its own preset
   * @param quick true for the short form
   * @param lacking features that the kernel of its nodes lacks, as {@code lab-lacking} takes them;
   *     empty = none
   * @param runs of the parts that a scenario can repeat, at least 1
   */
  public record Options(
      int jdk, String only, int minutes, boolean quick, String lacking, int runs) {
    public static final Options NONE = new Options(0, "", 0, false, "", 1);

    Path java() throws LabException {
      return jdk == 0 ? LabHome.java() : LabHome.jdk(jdk);
    }
  }

  private static Stage stage(Testbed testbed, Step step, Report report, Options options) {
    return new Stage(testbed, step, report, options.only(), options.minutes(), options.runs());
  }

  public static int run(String name, Report report) {
    return run(List.of(name), Options.NONE, report);
  }

  /**
   * Plays scenarios one after the other. Each has a testbed of its topology, which it shares with
   * the next one if that has the same topology and nothing failed. Returns 0 if all hold, 2 for a
   * wrong name, and another number otherwise. If there are several, the line {@code END NAME
   * STATUS} follows the text of each.
   */
  public static int run(List<String> names, Options options, Report report) {
    Map<String, Supplier<Scenario>> offered = options.quick() ? QUICK : SCENARIOS;
    for (String name : names) {
      if (!offered.containsKey(name)) {
        String what = options.quick() ? "no short form of '" : "no scenario '";
        String reason = what + name + "'; there are " + String.join(", ", offered.keySet());
        report.out().println(reason);
        report.failed(reason);
        return 2;
      }
    }
    List<String> failed = new ArrayList<>();
    Step step = new Step(report.out());
    try (SharedTestbed shared = new SharedTestbed(options, report.out())) {
      for (String name : names) {
        int status = play(name, offered.get(name).get(), shared, step, report, options);
        if (status != 0) {
          failed.add(name);
          shared.takeAway();
        }
        if (names.size() > 1) {
          report.out().println("END " + name + " " + status);
        }
      }
    } catch (IOException e) {
      report.failed(e.getMessage());
      return step.failed(e);
    }
    if (names.size() > 1 && !failed.isEmpty()) {
      report.failed("failed: " + String.join(", ", failed));
    }
    return failed.isEmpty() ? 0 : 1;
  }

  private static int play(
      String name,
      Scenario scenario,
      SharedTestbed shared,
      Step step,
      Report report,
      Options options) {
    try {
      Testbed testbed = shared.of(scenario.topology(), step);
      boolean holds = false;
      try {
        holds = scenario.play(stage(testbed, step, report, options));
      } finally {
        if (!holds) {
          testbed.keepLogs(name);
        }
      }
      return report.verdict(holds, name + (holds ? " holds." : " does not hold."));
    } catch (TopologyException | IOException e) {
      report.failed(e.getMessage());
      return step.failed(e);
    }
  }
}
