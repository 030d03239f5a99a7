// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.testbed.Testbed;

/**
 * Measures a stream of the Java endpoint, with the natives of a container and without, beside a
 * connection of the kernel's TCP, in turn. Sender and receiver share one processor, and the goal is
 * for the rate of a processor's second, which other programs of the machine do not change much.
 */
final class EndpointBench {
  private static final String RATE = "Mb/s";
  private static final String COST = "CPU per MB, us, of both ends";
  private static final String CORE = "Mb in a processor's second, of both ends";
  private static final double BITS = 8e6; // of a megabyte, and microseconds to megabits

  private final PartRun run;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();

  private EndpointBench(PartRun run) {
    this.run = run;
    this.testbed = run.testbed();
  }

  static void measure(PartRun run) throws IOException {
    new EndpointBench(run).measure();
  }

  private void measure() throws IOException {
    Map<StreamPair.Kind, StreamPair> pairs = new EnumMap<>(StreamPair.Kind.class);
    try {
      for (StreamPair.Kind kind : StreamPair.Kind.values()) {
        run.step().begin("start " + kind.text);
        StreamPair pair = StreamPair.start(testbed, kind);
        pairs.put(kind, pair);
        pair.run(run.plan().of(8000, 4000));
      }
      for (int round = 1; round <= run.plan().rounds(); round++) {
        run.begin(round);
        for (Map.Entry<StreamPair.Kind, StreamPair> entry : pairs.entrySet()) {
          add(entry.getKey(), entry.getValue().run(run.plan().of(3000, 1500)));
        }
      }
    } finally {
      for (StreamPair pair : pairs.values()) {
        pair.close();
      }
    }
    run.report().show(figures.table());
    run.goals().control(Part.ENDPOINT, "streams cubic");
    run.goals().put(Goal.ENDPOINT, "plain JVM", figures.of(StreamPair.Kind.PLAIN.text, CORE));
    run.goals().put(Goal.ENDPOINT, "natives", figures.of(StreamPair.Kind.BATCHED.text, CORE));
  }

  private void add(StreamPair.Kind kind, StreamPair.Rate rate) {
    figures.of(kind.text, RATE).add(rate.megabits());
    figures.of(kind.text, COST).add(rate.cost());
    figures.of(kind.text, CORE).add(BITS / rate.cost());
  }
}
