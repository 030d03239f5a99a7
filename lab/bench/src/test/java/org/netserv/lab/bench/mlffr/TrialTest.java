// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks which packets count as forwarded. */
final class TrialTest {
  private static Trial trial(double sent, double received, double passed, Reader.By by) {
    return Trial.of(Map.of("sent", sent, "received", received, "passed", passed, "nanos", 1e9), by);
  }

  @Test
  void aPacketThatNobodySawIsLost() {
    Trial open = trial(1000, 1000, 400, Reader.By.MODULE);
    assertTrue(open.isVoid());
    assertEquals(400, open.good());
    assertTrue(open.hopeless());
    assertFalse(open.lossFree());
  }

  @Test
  void aPacketThatWasPassedAndLostAfterwardsIsLostAndNoMore() {
    Trial lost = trial(1000, 998, 1000, Reader.By.MODULE);
    assertFalse(lost.isVoid());
    assertEquals(998, lost.good());
    assertFalse(lost.lossFree());
    assertTrue(trial(1000, 999, 1000, Reader.By.MODULE).lossFree());
  }

  @Test
  void aLossWhileTheProcessorHadNothingToDoSaysNothingOfTheRouter() {
    for (double idle : List.of(0.0, 0.25e9, 0.26e9)) {
      Map<String, Double> said =
          Map.of("sent", 1000.0, "received", 990.0, "nanos", 1e9, "idle", idle);
      assertEquals(idle > 0.25e9, Trial.of(said, Reader.By.KERNEL).disturbed());
    }
    Map<String, Double> whole =
        Map.of("sent", 1000.0, "received", 999.0, "nanos", 1e9, "idle", 9e8);
    assertFalse(Trial.of(whole, Reader.By.KERNEL).disturbed());
  }

  @Test
  void withoutAReaderWhatArrivesCounts() {
    Trial kernel = trial(1000, 1000, 0, Reader.By.KERNEL);
    assertFalse(kernel.isVoid());
    assertTrue(kernel.lossFree());
    assertEquals(1000, kernel.forwarded());
  }

  @Test
  void aPacketThatTheKernelDecidesOrCountsAndThatComesToTheModuleDoesNotCount() {
    for (Reader.By by : List.of(Reader.By.OFFLOADED, Reader.By.COUNTED)) {
      Trial seen =
          Trial.of(Map.of("sent", 1000.0, "received", 1000.0, "seen", 10.0, "nanos", 1e9), by);
      assertTrue(seen.isVoid());
      assertEquals(990, seen.good());
    }
  }
}
