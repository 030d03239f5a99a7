// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/**
 * The demos that have a name. Each shows with a table and a chart what a publisher gains by one
 * module.
 */
public final class Demos {
  private static final Map<String, Function<Boolean, Play>> PLAYS = new LinkedHashMap<>();

  static {
    PLAYS.put("keepalive", KeepAliveDemo::new);
    PLAYS.put("media-relay", MediaRelayDemo::new);
    PLAYS.put("overload", OverloadDemo::new);
    PLAYS.put("activecdn", ActiveCdnDemo::new);
  }

  /** One demo. It is played once. */
  interface Play {
    /** Returns the name of the file of the chart. */
    String name();

    /** Returns the name of the topology. */
    String topology();

    /** Returns the host behind a NetServ node, or its NAT, to which the server's path leads. */
    String users(String node);

    /**
     * Plays in a testbed that is up, and shows the table. Returns whether the module was a gain.
     */
    boolean play(Testbed testbed, Step step, Report report) throws IOException;

    /** Returns the chart of what was played. */
    TimeChart chart();
  }

  private Demos() {}

  /** Returns the names. */
  public static Set<String> names() {
    return PLAYS.keySet();
  }

  /**
   * Plays a demo, prints table and chart, and writes the chart as SVG.
   *
   * @param name one of {@link #names}
   * @param quick a shorter form
   * @param watched whether the nodes' dashboards are served beside it
   * @return 0 only if it shows what it should
   */
  public static int run(String name, boolean quick, boolean watched, Report report) {
    Play play = PLAYS.get(name).apply(quick);
    Step step = new Step(report.out());
    step.begin("build the testbed " + play.topology());
    try (Testbed testbed =
        Testbed.temporary(
            TopologyReader.read(LabHome.file("topologies/" + play.topology() + ".yaml")),
            report.out())) {
      boolean good = false;
      try (Watch watch = new Watch(testbed, play::users)) {
        if (watched) {
          watch.start(report.out());
        }
        good = play.play(testbed, step, report);
      } finally {
        if (!good) {
          testbed.keepLogs("demo-" + name);
        }
      }
      report.keep(play.chart().table());
      report.out().println();
      report.out().print(play.chart().text());
      report.out().println();
      report.out().println("  the chart: " + play.chart().write(play.name()));
      return report.verdict(good, good ? "it holds." : "it does not hold.");
    } catch (TopologyException | IOException e) {
      report.failed(e.getMessage());
      return step.failed(e);
    }
  }
}
