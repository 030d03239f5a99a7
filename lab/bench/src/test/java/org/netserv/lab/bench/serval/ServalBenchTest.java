// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Report;

/** Checks that a part that breaks fails the run and leaves the rows of the others. */
final class ServalBenchTest {
  private static final Set<Part> PARTS = EnumSet.of(Part.WITHDRAWAL, Part.RULES, Part.MOVE);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(out, true, StandardCharsets.UTF_8));
  private final GoalTable goals = new GoalTable(PARTS);

  private void put(Goal goal, double value) {
    Figures figures = new Figures();
    figures.add(value);
    goals.put(goal, figures);
  }

  private void measure(Part part) {
    if (part == Part.RULES) {
      put(Goal.RULES_ADDED, 200_000);
      put(Goal.RULE_BYTES, 586);
    } else if (part == Part.WITHDRAWAL) {
      put(Goal.WITHDRAWN, 1);
    } else {
      put(Goal.MOVE_EXCHANGE, 0.2);
      put(Goal.MOVE_GAP, 1);
      put(Goal.MOVE_DEAD, 5);
    }
  }

  private String result(int table, int row) {
    JsonNode cells = report.json().path("tables").path(table).path(row);
    return cells.path("result").asText() + cells.path("ended").asText();
  }

  @Test
  void allPartsTogetherAreMet() {
    assertEquals(0, ServalBench.run(PARTS, report, goals, (part, step) -> measure(part)));
    assertTrue(report.json().path("holds").asBoolean());
    assertEquals("5 of 5 goals are met.", report.json().path("verdict").asText());
  }

  @Test
  void aPartThatFailsLeavesTheOthers() {
    int status =
        ServalBench.run(
            PARTS,
            report,
            goals,
            (part, step) -> {
              if (part == Part.WITHDRAWAL) {
                throw new LabException("no router");
              }
              measure(part);
            });
    assertEquals(1, status);
    assertEquals("whole", result(0, 0));
    assertEquals("BROKEN: no router", result(0, 1));
    assertEquals("whole", result(0, 2));
    assertEquals("4 of 5 goals are met.", report.json().path("verdict").asText());
    assertEquals("printed", result(1, 0));
    assertEquals("MISSED", result(1, 2));
    assertEquals("met", result(1, 3));
  }

  @Test
  void anAnswerThatLacksANumberBreaksThePartAlone() {
    int status =
        ServalBench.run(
            PARTS,
            report,
            goals,
            (part, step) -> {
              measure(part);
              if (part == Part.RULES) {
                throw new IllegalStateException("no number");
              }
            });
    assertEquals(1, status); // though all goals have numbers
    assertTrue(result(0, 0).startsWith("BROKEN: "));
    assertEquals("whole", result(0, 2));
    assertEquals("5 of 5 goals are met.", report.json().path("verdict").asText());
  }

  @Test
  void theStepThatFailedIsNamed() {
    ServalBench.run(
        Set.of(Part.MOVE),
        report,
        goals,
        (part, step) -> {
          step.begin("a later step");
          throw new IOException("gone");
        });
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("FAILED at: a later step"));
  }
}
