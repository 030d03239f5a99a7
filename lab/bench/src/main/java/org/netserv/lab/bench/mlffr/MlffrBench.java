// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.bench.mlffr.Result.Kind;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;

/** Measures the highest rate of packets through a router, and the cost of a packet. */
public final class MlffrBench {
  /** Share of the highest rate at which the cost is measured, so that nothing is lost. */
  private static final double COST_SHARE = 0.75;

  private static final double LATENCY_SHARE = 0.5;
  private static final int COST_TRIALS = 3;
  private static final double COST_LEAST = 4;
  private static final double COUNTS_RATE = 20_000;
  private static final int COUNTS_TRIALS = 8;

  /** End of the curve, as a multiple of the highest rate without loss. */
  private static final double CURVE_END = 2;

  private static final int CURVE_MS = 150;

  /** Number of repetitions that record a curve, from the first. A picture needs no interval. */
  private static final int CURVES = 1;

  /** Start of a search, as a share of the rate that earlier searches found. */
  private static final double AGAIN = 0.95;

  private final MlffrPlan plan;
  private final Report report;
  private final Step step;
  private final Scenes scenes = new Scenes();
  private final List<Result> results = new ArrayList<>();
  private boolean countable;

  private MlffrBench(MlffrPlan plan, Report report, Step step) {
    this.plan = plan;
    this.report = report;
    this.step = step;
  }

  /**
   * Measures, prints and judges. Returns 0 if no goal is missed.
   *
   * @param chart file for the picture; null = none
   */
  public static int run(MlffrPlan plan, Path chart, Report report) {
    Step step = new Step(report.out());
    try {
      return new MlffrBench(plan, report, step).run(chart);
    } catch (IOException e) {
      return report.verdict(step.failed(e) == 0, e.getMessage());
    }
  }

  private int run(Path chart) throws IOException {
    if (!plan.exact() && Runtime.getRuntime().availableProcessors() < 2) {
      throw new LabException("it takes two processors: one sends, one is the router");
    }
    long begin = System.nanoTime();
    choose();
    for (int i = 1; i <= plan.repetitions(); i++) {
      for (Result result : results) {
        step.begin("%d of %d: %s".formatted(i, plan.repetitions(), result.cell().name()));
        if (!result.hopeless()) {
          measure(result, i);
        }
      }
    }
    Judge judge = new Judge(results, countable);
    MlffrTables.show(results, countable, report);
    if (chart != null) {
      Files.writeString(chart, new MlffrChart(results).svg());
      report.out().println("\n  chart: " + chart);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    report.out().printf("%n  took %d min %d s%n", took.toMinutes(), took.toSecondsPart());
    if (plan.search()) {
      return judge.goals(report);
    }
    if (plan.exact()) {
      return new ExactJudge(results, Expected.read()).judge(report);
    }
    return judge.counts(report);
  }

  /**
   * Chooses the cells to measure: all in the order of the table, or the named ones in the order of
   * their names.
   */
  private void choose() throws IOException {
    Map<String, Cell> cells = new LinkedHashMap<>();
    scenes.cells().forEach(cell -> cells.put(cell.name(), cell));
    if (plan.exact()) {
      cells.values().removeIf(cell -> cell.cores() > 1); // two cores would take turns on one CPU
    }
    for (String name : plan.only().isEmpty() ? cells.keySet() : plan.only()) {
      if (!cells.containsKey(name)) {
        throw new LabException(
            "there is no '" + name + "'; there are " + String.join(" ", cells.keySet()));
      }
      results.add(new Result(cells.get(name)));
    }
  }

  private void measure(Result result, int repetition) {
    try {
      if (result.cell().ruled()) {
        scenes.learnRules(report.out());
      }
      measureIn(result, repetition);
    } catch (IOException | RuntimeException e) {
      report.out().println("  " + e.getMessage());
      result.failed(repetition, e.getMessage());
    }
  }

  private void measureIn(Result result, int repetition) throws IOException {
    try (Stand stand = Stand.open(report.out())) {
      Reader reader = result.cell().scene().open(stand);
      try (Prober prober = Prober.start(stand, result.cell())) {
        countable = plan.exact() || prober.countable();
        prober.reader(reader);
        ThreadTimes before = ThreadTimes.of(reader.threads());
        measure(result, repetition, prober);
        prober.verify();
        if (plan.exact()) {
          report
              .out()
              .printf(
                  "  %,.0f instructions a packet, %,.0f beside it%n",
                  result.figures(Kind.INSTRUCTIONS).median(), result.figures(Kind.BESIDE).median());
          if (!reader.threads().isEmpty()) {
            String threads = ThreadTimes.of(reader.threads()).since(before);
            report.out().println("  threads: " + threads);
          }
        }
      }
    }
  }

  private void measure(Result result, int repetition, Prober prober) throws IOException {
    if (!plan.search()) {
      cost(result, repetition, prober, COUNTS_RATE);
      result.tried(prober.trials(), prober.voids(), true);
      return;
    }
    Figures before = result.figures(Kind.RATE);
    boolean first = before.count() == 0;
    double from = first ? result.cell().guess() : before.median() * AGAIN;
    double step = first ? Search.STEP : Search.SMALL_STEP;
    Search search = new Search(prober, plan.millis(), step);
    double rate = search.run(from);
    if (rate == 0) {
      throw new LabException("no rate without loss");
    }
    result.put(Kind.RATE, repetition, rate);
    cost(result, repetition, prober, rate * COST_SHARE);
    Trial latency = prober.latency(rate * LATENCY_SHARE, plan.millis());
    result.put(Kind.P50, repetition, (double) latency.p50());
    result.put(Kind.P99, repetition, (double) latency.p99());
    if (repetition <= CURVES) {
      curve(result, prober);
    }
    result.tried(prober.trials(), prober.voids(), search.outrun());
    report.out().printf("  %,.0f packets/s%n", rate);
  }

  /**
   * Measures the cost of a packet. The cost is the median of a few trials without loss. If every
   * trial loses packets, the rate goes down. Without a search, the processor time is the smallest
   * of the trials, because neighbours on the machine disturb the smallest least.
   */
  private void cost(Result result, int repetition, Prober prober, double most) throws IOException {
    List<Trial> counted = new ArrayList<>();
    for (double rate = most; counted.isEmpty(); rate *= COST_SHARE) {
      if (rate < most / COST_LEAST) {
        throw new LabException("no trial was without loss at %,.0f packets/s".formatted(rate));
      }
      int wanted = plan.search() ? COST_TRIALS : COUNTS_TRIALS;
      for (int i = 0; i < 4 * wanted && counted.size() < wanted; i++) {
        Trial trial = prober.cost(rate, plan.millis());
        if (trial.lossFree()) {
          counted.add(trial);
        }
      }
    }
    Figures processor = new Figures();
    Figures path = new Figures();
    Figures instructions = new Figures();
    Figures cycles = new Figures();
    for (Trial trial : counted) {
      processor.add(trial.processorEach());
      path.add(trial.pathEach());
      instructions.add(trial.instructionsEach());
      cycles.add(trial.cyclesEach());
    }
    double each = plan.search() ? processor.median() : processor.least();
    result.put(Kind.PROCESSOR, repetition, each);
    if (plan.exact()) {
      String all = counted.stream().map(t -> "%,.0f".formatted(t.pathEach())).collect(joining(" "));
      report.out().println("  trials: " + all);
      result.put(Kind.INSTRUCTIONS, repetition, path.median());
      result.put(Kind.BESIDE, repetition, processor.median() - path.median());
    } else if (prober.countable()) {
      result.put(Kind.INSTRUCTIONS, repetition, instructions.median());
      result.put(Kind.CYCLES, repetition, cycles.median());
    }
  }

  /** Records the curve. Each repetition uses the rates of the first repetition. */
  private void curve(Result result, Prober prober) throws IOException {
    if (result.curve().isEmpty()) {
      double top = result.figures(Kind.RATE).median() * CURVE_END;
      for (int i = 1; i <= plan.steps(); i++) {
        result.curve().put(top * i / plan.steps(), new Figures());
      }
    }
    for (double rate : result.curve().keySet()) {
      result.point(rate, prober.trial(rate, CURVE_MS).forwarded());
    }
  }
}
