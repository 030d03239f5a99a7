// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  void aForeignTextIsOneLine() {
    String line =
        new LogFormat().format(new LogRecord(Level.INFO, "one\n2026-01-01T00:00:00Z INFO X: two"));
    assertEquals(line.length() - 1, line.indexOf('\n'));
    assertTrue(line.contains("one?2026"), line);
  }
}
