// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the rate of full D-mode handshakes. Its rounds alternate with rounds of a plain exchange
 * of three datagrams between two JVMs in the same namespaces, with as many exchanges under way. The
 * plain exchange shows the speed of the machine at that moment.
 */
final class RatesBench {
  private static final int PORT = 7000;
  private static final double GOAL = 0.25;
  private static final int SESSIONS = 4_000_000;

  private final Bench bench;

  RatesBench(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException {
    Plan plan = bench.plan();
    Figures handshakes = new Figures();
    Figures exchanges = new Figures();
    Figures ratios = new Figures();
    bench.step("rounds of handshakes and of plain exchanges");
    try (Conversation server = serve();
        Conversation client = ask();
        Conversation load = bench.load(SESSIONS)) {
      server.answer();
      for (int round = -plan.warmUp(); round < plan.rounds(); round++) {
        double plain = rate(client.ask(plan.roundSeconds() + " " + plan.outstanding()));
        double made = rate(load.ask("rate " + plan.roundSeconds() + " " + plan.outstanding()));
        load.ask("forget");
        bench.step(
            String.format(
                Locale.ROOT,
                "%s round: %,.0f handshakes/s, %,.0f exchanges/s",
                round < 0 ? "warm-up" : "counted",
                made,
                plain));
        if (round >= 0) {
          handshakes.add(made);
          exchanges.add(plain);
          ratios.add(made / plain);
        }
      }
    }
    String of = " (median of " + plan.rounds() + "; lowest - highest)";
    bench.found("D-mode handshakes a second" + of, figures(handshakes));
    bench.found("plain exchanges a second" + of, figures(exchanges));
    double ratio = handshakes.median() / exchanges.median();
    bench.judged(
        "ratio of the medians (lowest - highest of a round)",
        String.format(
            Locale.ROOT, "%.2f (%.2f - %.2f)", ratio, ratios.percentile(0), ratios.percentile(100)),
        "at least 0.25",
        ratio >= GOAL);
  }

  private Conversation serve() throws IOException {
    return Conversation.start(
        bench.testbed(), BenchNode.NAME, "udp-serve", UdpExchange.class, "serve", PORT);
  }

  private Conversation ask() throws IOException {
    return Conversation.start(
        bench.testbed(),
        Bench.LOAD,
        "udp-ask",
        UdpExchange.class,
        "ask",
        Bench.LOAD_ADDRESS,
        Bench.NODE_ADDRESS,
        PORT);
  }

  private static double rate(Map<String, Double> answer) {
    return answer.get("new") * 1e6 / answer.get("micros");
  }

  private static String figures(Figures figures) {
    return String.format(Locale.ROOT, "%,.0f (%s)", figures.median(), figures.spread());
  }
}
