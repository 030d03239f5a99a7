// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;

/**
 * Measures a stream of the Java endpoint, with the natives of a container and without, beside a
 * connection of the kernel's TCP, in turn. Sender and receiver share one processor, and the goal is
 * for the rate of a processor's second, which other programs of the machine do not change much.
 */
public final class EndpointBench {
  private static final String TOPOLOGY = "serval-endpoint";
  private static final String RATE = "Mb/s";
  private static final String COST = "CPU per MB, us, of both ends";
  private static final String CORE = "Mb in a processor's second, of both ends";
  private static final double GOAL = 1500;
  private static final double BITS = 8e6; // of a megabyte, and microseconds to megabits

  private final EndpointPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();

  private EndpointBench(EndpointPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goal is met. */
  public static int run(EndpointPlan plan, Report report) {
    return BenchTestbed.measure(
        TOPOLOGY,
        report,
        (testbed, step) -> new EndpointBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    Map<StreamPair.Kind, StreamPair> pairs = new EnumMap<>(StreamPair.Kind.class);
    try {
      for (StreamPair.Kind kind : StreamPair.Kind.values()) {
        step.begin("start " + kind.text);
        StreamPair pair = StreamPair.start(testbed, kind);
        pairs.put(kind, pair);
        pair.run(plan.firstMillis());
      }
      for (int round = 1; round <= plan.rounds(); round++) {
        step.begin("round " + round + " of " + plan.rounds());
        for (Map.Entry<StreamPair.Kind, StreamPair> entry : pairs.entrySet()) {
          add(entry.getKey(), entry.getValue().run(plan.millis()));
        }
      }
    } finally {
      for (StreamPair pair : pairs.values()) {
        pair.close();
      }
    }
    return judge();
  }

  private void add(StreamPair.Kind kind, StreamPair.Rate rate) {
    figures.of(kind.text, RATE).add(rate.megabits());
    figures.of(kind.text, COST).add(rate.cost());
    figures.of(kind.text, CORE).add(BITS / rate.cost());
  }

  private int judge() throws IOException {
    report.show(figures.table());
    Figures batched = figures.of(StreamPair.Kind.BATCHED.text, CORE);
    Figures plain = figures.of(StreamPair.Kind.PLAIN.text, CORE);
    double tcp = figures.of(StreamPair.Kind.TCP.text, COST).median();
    String control = testbed.run("left", "sysctl", "-n", "net.ipv4.tcp_congestion_control");
    return report.verdict(
        batched.median() >= GOAL,
        String.format(
            Locale.ROOT,
            "%,.0f Mb in a processor's second for both ends of a stream (plain JVM %,.0f, goal %,.0f),"
                + " %.1f times TCP's processor time a byte; streams CUBIC, TCP %s.",
            batched.median(),
            plain.median(),
            GOAL,
            figures.of(StreamPair.Kind.BATCHED.text, COST).median() / tcp,
            control.strip()));
  }
}
