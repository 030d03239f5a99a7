// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogFormatTest {
  private static final Logger ROOT = Logger.getLogger("");
  private static final Logger OURS = Logger.getLogger("org.netserv");

  private final Level root = ROOT.getLevel();
  private final Level ours = OURS.getLevel();

  @AfterEach
  void restore() {
    ROOT.setLevel(root);
    OURS.setLevel(ours);
  }

  @ParameterizedTest
  @CsvSource({
    "error, SEVERE, SEVERE",
    "warn, WARNING, WARNING",
    "info, INFO, INFO",
    "debug, FINE, INFO"
  })
  void writesWhatPolicySays(String level, String least, String leastOfLibraries) {
    LogFormat.level(level);
    // Asked for through a class of ours and of a library, as they log.
    assertLeast(Logger.getLogger("org.netserv.controller.Some"), Level.parse(least));
    assertLeast(Logger.getLogger("io.netty.Some"), Level.parse(leastOfLibraries));
  }

  private static void assertLeast(Logger logger, Level least) {
    for (Level level : new Level[] {Level.SEVERE, Level.WARNING, Level.INFO, Level.FINE}) {
      assertEquals(level.intValue() >= least.intValue(), logger.isLoggable(level), level.getName());
    }
  }

  @Test
  void aLineIsBoundedAndATraceIsIndented() {
    LogRecord event = new LogRecord(Level.SEVERE, "x".repeat(2 << 20));
    event.setThrown(new IllegalStateException("one\n2026-01-01T00:00:00Z INFO X: two"));
    List<String> lines = new LogFormat().format(event).lines().toList();
    assertTrue(lines.get(0).length() < 2_000, lines.get(0).length() + " characters");
    assertTrue(lines.size() > 2 && lines.size() <= 65, lines.size() + " lines");
    lines.subList(1, lines.size()).forEach(line -> assertTrue(line.startsWith("\t"), line));
  }

  @Test
  void aForeignTextIsOneLine() {
    String line =
        new LogFormat().format(new LogRecord(Level.INFO, "one\n2026-01-01T00:00:00Z INFO X: two"));
    assertEquals(line.length() - 1, line.indexOf('\n'));
    assertTrue(line.contains("one?2026"), line);
  }
}
