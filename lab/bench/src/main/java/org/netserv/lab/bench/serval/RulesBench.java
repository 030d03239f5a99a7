// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.testbed.tool.RuleLoad;

/** Measures the rules of a table in Java, by processor time and heap. */
final class RulesBench {
  private static final int HELD = 1_000_000;
  private static final int FIRST = 100_000;

  private RulesBench() {}

  static void measure(PartRun run) throws IOException {
    int held = run.plan().of(HELD, HELD / 2);
    String rules = String.format(Locale.ROOT, "%,d rules", held);
    FigureTable figures = new FigureTable();
    try (Conversation table =
        Conversation.start(run.testbed(), "sender", "rules", RuleLoad.class)) {
      table.ask("round " + FIRST);
      for (int round = 1; round <= run.plan().rounds(); round++) {
        run.begin(round);
        Map<String, Double> answer = table.ask("round " + held);
        figures.of(rules, "added a second").add(answer.get("added"));
        figures.of(rules, "heap for each, bytes").add(answer.get("bytes"));
        figures.of(rules, "withdrawn a second").add(answer.get("withdrawn"));
      }
    }
    run.report().show(figures.table());
    run.goals().put(Goal.RULES_ADDED, figures.of(rules, "added a second"));
    run.goals().put(Goal.RULE_BYTES, figures.of(rules, "heap for each, bytes"));
  }
}
