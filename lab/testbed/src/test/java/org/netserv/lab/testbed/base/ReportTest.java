// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReportTest {
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(text, true, StandardCharsets.UTF_8));

  private void after(ResultTable table) {
    report.show(table);
    text.reset();
  }

  private String verdict(boolean good) {
    assertEquals(good ? 0 : 1, report.verdict(good, "x."));
    return text.toString(StandardCharsets.UTF_8);
  }

  @Test
  void wrongRowsStandAboveABadVerdict() {
    after(new ResultTable("step", "seen", "").row("a", 1, "ok").row("b", 2, "WRONG"));
    after(new ResultTable("step", "").row("c", "no").row("d", "ok"));
    assertEquals("\nb; 2; WRONG\nc; no\nVERDICT: x.\n", verdict(false));
    assertFalse(report.json().get("holds").asBoolean());
  }

  @Test
  void aGoodVerdictStandsAlone() {
    after(new ResultTable("step", "here").row("a", "no"));
    assertEquals("\nVERDICT: x.\n", verdict(true));
    assertTrue(report.json().get("holds").asBoolean());
  }
}
