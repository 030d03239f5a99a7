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
    assertEquals(3, figures.median()); // of an even number: the lower one
  }
}
