// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.cache.WrkResult;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.Wait;

/**
 * Measures two translators in a row beside two HAProxys in a row, in turn, on the same nodes and
 * before the same web server: the rate, and the processor time of a megabyte. A relay is charged
 * with its processes on both nodes. wrk asks from the user's side on as many connections as the
 * load has.
 */
final class TranslatorBench {
  private static final int WEB_PORT = 8080;
  private static final int BYTES = 1_000_000; // of an answer
  private static final List<Integer> CONNECTIONS = List.of(1, 16);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PartRun run;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final FigureTable ratios = new FigureTable();

  private TranslatorBench(PartRun run) {
    this.run = run;
    this.testbed = run.testbed();
  }

  static void measure(PartRun run) throws IOException {
    new TranslatorBench(run).measure();
  }

  private void measure() throws IOException {
    PlainWeb.start(testbed, "server", WEB_PORT, BYTES);
    for (TcpRelay relay : TcpRelay.values()) {
      run.step().begin("start " + relay.text);
      relay.start(testbed);
      Wait.until(relay.text, PATIENCE, () -> length(relay) == BYTES);
    }
    for (TcpRelay relay : TcpRelay.values()) {
      for (int connections : CONNECTIONS) {
        wrk(relay, connections, run.plan().of(8, 4));
      }
    }
    for (int round = 1; round <= run.plan().rounds(); round++) {
      run.begin(round);
      for (int connections : CONNECTIONS) {
        round(connections);
      }
    }
    run.report().show(figures.table());
    run.goals().control(Part.TRANSLATOR, "streams cubic, TCP " + run.control("node"));
    for (int connections : CONNECTIONS) {
      String variant = variant(connections);
      String haproxy = TcpRelay.HAPROXY.text;
      run.goals().put(Goal.TRANSLATOR_RATE, variant, ratios.of(haproxy, rate(connections)));
      run.goals().put(Goal.TRANSLATOR_COST, variant, ratios.of(haproxy, cost(connections)));
    }
  }

  private void round(int connections) throws IOException {
    double[] rates = new double[TcpRelay.values().length];
    double[] costs = new double[rates.length];
    int place = 0;
    for (TcpRelay relay : TcpRelay.values()) {
      CpuTime before = relay.time(testbed);
      WrkResult result = wrk(relay, connections, run.plan().of(3, 2));
      double bytes = (double) result.requests() * BYTES;
      rates[place] = result.perSecond() * BYTES * 8 / 1e6;
      costs[place] = relay.time(testbed).microsSince(before) / (bytes / 1e6);
      figures.of(relay.text, rate(connections)).add(rates[place]);
      figures.of(relay.text, cost(connections)).add(costs[place]);
      place++;
    }
    place = 0;
    for (TcpRelay relay : TcpRelay.values()) {
      ratios.of(relay.text, rate(connections)).add(rates[0] / rates[place]);
      ratios.of(relay.text, cost(connections)).add(costs[0] / costs[place]);
      place++;
    }
  }

  private static String variant(int connections) {
    return connections + (connections == 1 ? " connection" : " connections");
  }

  private static String rate(int connections) {
    return "Mb/s on " + variant(connections);
  }

  private static String cost(int connections) {
    return "CPU per MB, us, on " + variant(connections);
  }

  private WrkResult wrk(TcpRelay relay, int connections, int seconds) throws IOException {
    String connected = "-c" + connections;
    String time = "-d" + seconds + "s";
    return WrkResult.of(
        testbed.run("user", "wrk", "-t1", connected, time, "--timeout", "30s", relay.url()));
  }

  /** Returns the length of the answer by a relay, or -1 without one. */
  private long length(TcpRelay relay) throws IOException {
    String command = "curl -sS -m 5 -o /dev/null -w '%{size_download}' " + relay.url() + " || true";
    String said = testbed.run("user", "sh", "-c", command).strip();
    return said.matches("\\d+") ? Long.parseLong(said) : -1;
  }
}
