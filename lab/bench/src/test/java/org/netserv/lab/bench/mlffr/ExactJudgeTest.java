// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.lab.bench.mlffr.Result.Kind;
import org.netserv.lab.testbed.base.Report;

/** Judges a ring of 12,000 instructions and a java of 13,000 against expected values. */
final class ExactJudgeTest {
  private static final String MACHINE = "linux-6.12 jdk-21";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(out, true, StandardCharsets.UTF_8));

  private static Result result(String name, double instructions) {
    Result result = new Result(new Cell(name, name, 64, 1, false, 1, stand -> Reader.NONE));
    result.put(Kind.PROCESSOR, 1, instructions);
    result.put(Kind.INSTRUCTIONS, 1, instructions);
    result.put(Kind.BESIDE, 1, 321);
    return result;
  }

  private int judge(Map<String, Long> expected) {
    return new ExactJudge(
            List.of(result("ring", 12_000), result("java", 13_000)),
            new Expected(MACHINE, expected))
        .judge(report);
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aRowMayTakeTwoPercentMoreThanExpected() {
    assertEquals(0, judge(Map.of("ring", 11_765L, "java", 13_000L)));
    assertTrue(said().contains("VERDICT: as many instructions as expected"), said());
    assertTrue(said().contains("12,000        321"), said());
  }

  @Test
  void aRowThatTakesMoreFailsWithBothNumbers() {
    assertEquals(1, judge(Map.of("ring", 11_764L, "java", 13_000L)));
    assertTrue(
        said().contains("ring takes 12,000 instructions, 11,764 expected on " + MACHINE), said());
  }

  @Test
  void aRowThatTakesLessAsksForTheNewNumber() {
    assertEquals(0, judge(Map.of("ring", 12_500L, "java", 13_000L)));
    assertTrue(said().contains("put the new number into the file"), said());
  }

  @Test
  void aMachineThatTheFileDoesNotKnowFailsNothing() {
    assertEquals(0, judge(Map.of()));
    assertTrue(said().contains("none of " + MACHINE), said());
  }

  @Test
  void aMissedGoalIsToldAndFailsNothing() {
    assertEquals(0, judge(Map.of()));
    assertTrue(said().contains("goals missed: Java on the ring / C on the ring 1.083"), said());
  }

  @Test
  void aRowThatCouldNotBeMeasuredFails() {
    Result absent = new Result(new Cell("ring", "ring", 64, 1, false, 1, stand -> Reader.NONE));
    absent.failed(1, "no such thing here");
    assertEquals(1, new ExactJudge(List.of(absent), new Expected(MACHINE, Map.of())).judge(report));
    assertTrue(said().contains("ring: no such thing here"), said());
  }
}
