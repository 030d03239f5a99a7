// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class LoopWarmUpTest {
  @Test
  void everyPacketTakesTheWholeWay() {
    assertEquals(LoopWarmUp.ROUNDS * LoopWarmUp.BATCH, LoopWarmUp.run());
  }
}
