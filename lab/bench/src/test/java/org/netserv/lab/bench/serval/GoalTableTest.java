// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.netserv.lab.bench.Figures;

/** Checks when a goal is met, when it is missed, and the rows of the table. */
final class GoalTableTest {
  private static Figures figures(double... values) {
    Figures figures = new Figures();
    Arrays.stream(values).forEach(figures::add);
    return figures;
  }

  private static void assertRow(GoalTable goals, String begin, String end) {
    String row = "(?m)^ *" + Pattern.quote(begin) + " .*\\b" + Pattern.quote(end) + "$";
    assertTrue(
        Pattern.compile(row).matcher(goals.table().toString()).find(), goals.table()::toString);
  }

  @Test
  void theMedianDecides() {
    GoalTable goals = new GoalTable(Set.of(Part.REGISTRATIONS));
    goals.put(Goal.VERIFIED, figures(1, 2000, 9000));
    goals.put(Goal.REFRESHED, figures(1, 50_000, 50_001));
    assertTrue(goals.met());
    assertRow(goals, "registrations again by MAC", "met");
    goals.put(Goal.VERIFIED, figures(1, 1999, 9000));
    assertFalse(goals.met());
    assertEquals("1 of 2 goals are met.", goals.sentence());
    assertRow(goals, "registrations verified a second and core", "MISSED");
  }

  @Test
  void anUpperBoundIsMissedAboveIt() {
    GoalTable goals = new GoalTable(Set.of(Part.CONNECT));
    goals.put(Goal.CONNECT_DIRECT, figures(10));
    goals.put(Goal.CONNECT_ROUTER, figures(30.1));
    assertRow(goals, "connect by name, added to TCP, us, direct", "met");
    assertRow(goals, "connect by name, added to TCP, us, one router", "MISSED");
  }

  @Test
  void aPercentileDecidesWhereTheGoalSaysSo() {
    GoalTable goals = new GoalTable(Set.of(Part.WITHDRAWAL));
    goals.put(Goal.WITHDRAWN, figures(1, 2, 3, 501));
    assertFalse(goals.met());
    goals.put(Goal.WITHDRAWN, figures(1, 2, 3, 499));
    assertTrue(goals.met());
  }

  @Test
  void aGoalWithoutANumberIsMissed() {
    GoalTable goals = new GoalTable(Set.of(Part.REGISTRATIONS));
    goals.put(Goal.VERIFIED, figures(2000));
    assertFalse(goals.met());
    assertRow(goals, "registrations again by MAC", "MISSED");
    assertTrue(goals.table().toString().contains("not measured"));
    goals.put(Goal.REFRESHED, figures());
    assertFalse(goals.met());
  }

  @Test
  void eachVariantHasToHold() {
    GoalTable goals = new GoalTable(Set.of(Part.ENDPOINT));
    goals.put(Goal.ENDPOINT, "natives", figures(9000));
    assertFalse(goals.met());
    goals.put(Goal.ENDPOINT, "plain JVM", figures(1499));
    assertFalse(goals.met());
    goals.put(Goal.ENDPOINT, "plain JVM", figures(1500));
    assertTrue(goals.met());
  }

  @Test
  void aRowBeyondThePromiseFailsNothing() {
    GoalTable goals = new GoalTable(Set.of(Part.TCP));
    for (String control : NamedHosts.CONTROLS) {
      goals.put(Goal.NATIVE_VETH, control, figures(0.92));
      goals.put(Goal.ENCAPSULATED_SINGLE, control, figures(0.9));
    }
    goals.put(Goal.ENCAPSULATED_CUT, "bbr", figures(0.4));
    goals.put(Goal.ENCAPSULATED_CUT, "reno", figures(0.95));
    assertTrue(goals.met());
    assertRow(goals, Goal.ENCAPSULATED_CUT.row("bbr"), "not reached");
    assertRow(goals, Goal.ENCAPSULATED_CUT.row("reno"), "reached");
  }

  @Test
  void aRowWithoutABoundIsPrinted() {
    GoalTable goals = new GoalTable(Set.of(Part.RULES));
    goals.put(Goal.RULES_ADDED, figures(100_000));
    assertRow(goals, "rules, heap for each, bytes", "missing");
    goals.put(Goal.RULE_BYTES, figures(586));
    assertRow(goals, "rules, heap for each, bytes", "printed");
    assertTrue(goals.met());
  }

  @Test
  void otherPartsHaveNoRows() {
    GoalTable goals = new GoalTable(Set.of(Part.MOVE));
    assertEquals(2 + 3, goals.table().toString().lines().count());
    assertEquals("0 of 3 goals are met.", goals.sentence());
  }

  @Test
  void theCongestionControlStandsInTheRow() {
    GoalTable goals = new GoalTable(Set.of(Part.MOVE));
    goals.control(Part.MOVE, "westwood");
    assertEquals(
        3, goals.table().toString().lines().filter(row -> row.contains("  westwood  ")).count());
  }

  @Test
  void eachPartHasAGoalAndVariantsAreNamed() {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    for (Goal goal : Goal.ALL) {
      parts.add(goal.part());
    }
    assertEquals(EnumSet.allOf(Part.class), parts);
    GoalTable goals = new GoalTable(parts);
    assertThrows(IllegalArgumentException.class, () -> goals.put(Goal.ENDPOINT, figures(1)));
    assertThrows(
        IllegalArgumentException.class, () -> goals.put(Goal.NATIVE_LINK, "cubic", figures(1)));
  }
}
