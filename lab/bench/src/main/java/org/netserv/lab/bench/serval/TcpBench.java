// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.serval.NamedHosts.Way;

/**
 * Measures the rate of unchanged programs by name beside plain TCP, between two hosts on a veth
 * pair, in turn and with each congestion control.
 */
final class TcpBench {
  private final PartRun run;
  private final FigureTable figures = new FigureTable();
  private final FigureTable ratios = new FigureTable();

  private TcpBench(PartRun run) {
    this.run = run;
  }

  static void measure(PartRun run) throws IOException {
    new TcpBench(run).measure();
  }

  private void measure() throws IOException {
    NamedHosts hosts = NamedHosts.start(run.testbed());
    for (int round = 1; round <= run.plan().rounds(); round++) {
      run.begin(round);
      for (String control : NamedHosts.CONTROLS) {
        round(hosts, control);
      }
    }
    run.report().show(figures.table());
    run.report().show(ratios.table());
    for (String control : NamedHosts.CONTROLS) {
      put(Goal.NATIVE_VETH, Way.NATIVE, Way.PLAIN, control);
      put(Goal.ENCAPSULATED_SINGLE, Way.ENCAPSULATED, Way.SINGLE, control);
      put(Goal.ENCAPSULATED_CUT, Way.ENCAPSULATED, Way.CUT, control);
    }
  }

  private void round(NamedHosts hosts, String control) throws IOException {
    Map<Way, Double> rates = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      double rate = hosts.transfer(way, control, 0, run.plan().of(2, 1)).megabits();
      rates.put(way, rate);
      figures.of(way.text, "Mb/s, " + control).add(rate);
    }
    for (Way named : List.of(Way.ENCAPSULATED, Way.NATIVE)) {
      for (Way plain : List.of(Way.PLAIN, Way.CUT, Way.SINGLE)) {
        ratios.of(ratio(named, plain), control).add(rates.get(named) / rates.get(plain));
      }
    }
  }

  private static String ratio(Way named, Way plain) {
    return named.text + " / " + plain.text;
  }

  private void put(Goal goal, Way named, Way plain, String control) {
    run.goals().put(goal, control, ratios.of(ratio(named, plain), control));
  }
}
