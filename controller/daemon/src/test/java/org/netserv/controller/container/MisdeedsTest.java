// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.frames.FrameException;

/** Counters of refusals, the log lines about them, and the end of patience with a container. */
final class MisdeedsTest {
  private static final long JANE = 700_000;

  private final Misdeeds misdeeds = new Misdeeds();
  private final Logger logger = Logger.getLogger(Misdeeds.class.getName());
  private final List<String> lines = new ArrayList<>();
  private final Handler lineHandler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(lineHandler);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(lineHandler);
  }

  @Test
  void linesAreFewAndSayHowManyWereLeftOut() {
    for (int i = 0; i < 10_000; i++) {
      misdeeds.add(JANE, Misdeed.CONNECTIONS, "closed", 0);
    }
    assertEquals(Misdeeds.LINES_PER_MINUTE, lines.size());
    misdeeds.add(JANE + 1, Misdeed.CUT, "x", 0);
    assertEquals(Misdeeds.LINES_PER_MINUTE + 1, lines.size(), "another uid has lines of its own");
    misdeeds.add(JANE, Misdeed.CONNECTIONS, "closed", 10_000);
    assertEquals(
        "agent of uid 700000: connections: closed; 9994 more were not logged",
        lines.get(lines.size() - 1));
    assertEquals(Map.of("connections", 10_001L), misdeeds.of(JANE));
    assertEquals(Map.of("connections", 10_001L, "cut", 1L), misdeeds.all());
    assertEquals(Map.of(), misdeeds.of(1));
  }

  @Test
  void sixtyAMinuteAreBorneAndWhatIsMoreIsSaidOnceAMinute() {
    int said = 0;
    for (int second = 0; second < 600; second++) {
      for (int i = 0; i < 100; i++) {
        Optional<String> why = misdeeds.add(JANE, Misdeed.NOT_JSON, "x", second * 1_000L);
        said += why.isPresent() ? 1 : 0;
      }
    }
    assertEquals(10, said);
    for (int second = 0; second < 600; second++) {
      assertEquals(
          Optional.empty(), misdeeds.add(JANE + 1, Misdeed.NOT_JSON, "x", second * 1_000L));
    }
  }

  @Test
  void overloadIsNoFaultOfAContainer() {
    for (int i = 0; i < 10_000; i++) {
      assertEquals(Optional.empty(), misdeeds.add(JANE, Misdeed.OVERLOAD, "x", 0));
    }
  }

  @Test
  void eachFaultOfAFrameHasACounter() {
    Set<Misdeed> named = new HashSet<>();
    for (FrameException.Reason reason : FrameException.Reason.values()) {
      boolean nobodys =
          reason == FrameException.Reason.CLOSED || reason == FrameException.Reason.TIMEOUT;
      if (nobodys) {
        assertNull(Misdeed.of(reason));
      } else {
        assertTrue(named.add(Misdeed.of(reason)), reason + " has a name of its own");
      }
    }
  }
}
