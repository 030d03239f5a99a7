// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.netserv.lab.bench.mlffr.Result.Kind;
import org.netserv.lab.testbed.base.Report;

/**
 * Checks when a goal is missed. Rates of Java and C on the ring have a goal of at least 0.95, and
 * costs of at most 1.03.
 */
final class JudgeTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(out, true, StandardCharsets.UTF_8));
  private final Result ring = result("ring");
  private final Result java = result("java");

  private static Result result(String name) {
    return new Result(new Cell(name, name, 64, 1, false, 1, stand -> Reader.NONE));
  }

  private void measured(Kind kind, double... ratios) {
    for (int i = 0; i < ratios.length; i++) {
      ring.put(kind, i, 1000 + i);
      java.put(kind, i, (1000 + i) * ratios[i]);
    }
  }

  private int judge(boolean countable) {
    return new Judge(List.of(ring, java), countable).goals(report);
  }

  @Test
  void instructionsDecideByTheirMedian() {
    measured(Kind.RATE, 1, 1, 1, 1, 1);
    measured(Kind.INSTRUCTIONS, 1.00, 1.01, 1.04, 1.05, 1.06);
    assertEquals(1, judge(true));
  }

  @Test
  void processorTimeDecidesByItsWholeInterval() {
    measured(Kind.RATE, 1, 1, 1, 1, 1);
    measured(Kind.PROCESSOR, 1.00, 1.2, 1.2, 1.2, 1.2);
    assertEquals(0, judge(false));
    measured(Kind.PROCESSOR, 1.1, 1.2, 1.2, 1.2, 1.2);
    assertEquals(1, judge(false));
  }

  @Test
  void aRateDecidesByItsWholeInterval() {
    measured(Kind.INSTRUCTIONS, 1, 1, 1, 1, 1);
    measured(Kind.RATE, 0.5, 0.5, 0.5, 0.5, 0.96);
    assertEquals(0, judge(true));
    measured(Kind.RATE, 0.5, 0.5, 0.5, 0.5, 0.94);
    assertEquals(1, judge(true));
  }

  @Test
  void whatWasNotMeasuredIsSaidAndNotMissed() {
    measured(Kind.PROCESSOR, 1);
    ring.failed(0, "no such thing here");
    assertEquals("no such thing here", ring.absent());
    assertEquals(0, judge(true));
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("(9 not measured)"));
  }

  /**
   * Returns the verdict of {@code --counts} on C that costs 4,000 and Java that costs {@code
   * ofJava}.
   */
  private int counts(Kind kind, double ofJava, boolean countable) {
    Result queue = result("queue");
    Result direct = result("direct");
    queue.put(kind, 1, 4000);
    direct.put(kind, 1, ofJava);
    return new Judge(List.of(queue, direct), countable).counts(report);
  }

  @Test
  void theJavaLayerMayTakeAQuarterMoreInstructionsThanC() {
    assertEquals(0, counts(Kind.INSTRUCTIONS, 4900, true));
    assertEquals(1, counts(Kind.INSTRUCTIONS, 5100, true));
  }

  @Test
  void processorTimeIsToldAndFailsNothing() {
    assertEquals(0, counts(Kind.PROCESSOR, 5300, false));
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("of the Java layer / C 1.3"));
  }

  @Test
  void theChartIsXml() throws Exception {
    measured(Kind.RATE, 1, 1, 1);
    java.point(1000, 900);
    java.point(2000, 950);
    byte[] svg = new MlffrChart(List.of(ring, java)).svg().getBytes(StandardCharsets.UTF_8);
    assertEquals(
        "svg",
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new java.io.ByteArrayInputStream(svg))
            .getDocumentElement()
            .getTagName());
  }
}
