// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class FiguresTest {
  @Test
  void theMiddleAndTheEdges() {
    Figures figures = new Figures();
    for (double value : new double[] {5, 1, 4, 2, 3}) {
      figures.add(value);
    }
    assertEquals(3, figures.median());
    assertEquals(1, figures.percentile(0));
    assertEquals(5, figures.percentile(99));
    assertEquals("1 - 5", figures.spread());
    figures.add(6);
    assertEquals(3, figures.median()); // an even count: the lower of the two
  }

  @Test
  void theIntervalLeavesOutWhatItCanSpare() {
    Figures figures = new Figures();
    for (int i = 1; i <= 5; i++) {
      figures.add(i);
    }
    assertEquals(1, figures.low()); // 1 - 2/32: of five values none can be left out
    assertEquals(5, figures.high());
    for (int i = 6; i <= 8; i++) {
      figures.add(i);
    }
    assertEquals(2, figures.low()); // 1 - 18/256
    assertEquals(7, figures.high());
  }
}
