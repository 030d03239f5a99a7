// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PingRotaTest {
  @Test
  void everyEventInEveryState() {
    PingRota rota = new PingRota(3);
    assertTrue(rota.ping(true)); // ASKING
    assertTrue(rota.ping(true));
    rota.pong();
    assertEquals(PingRota.State.TRUSTED, rota.state());
    assertFalse(rota.ping(true));
    assertFalse(rota.ping(true));
    assertTrue(rota.ping(true)); // the third
    assertEquals(PingRota.State.ASKING, rota.state());
    assertTrue(rota.ping(true)); // no pong yet
    rota.pong();
    assertFalse(rota.ping(true));
    rota.pong(); // one that nobody asked for
    assertFalse(rota.ping(true));
    assertTrue(rota.ping(false)); // it could not be answered here
    assertEquals(PingRota.State.ASKING, rota.state());
  }

  @Test
  void noneLetThroughIsEachTwentieth() {
    PingRota rota = new PingRota(0);
    rota.pong();
    for (int i = 1; i < PingRota.EVERY_IF_NONE; i++) {
      assertFalse(rota.ping(true));
    }
    assertTrue(rota.ping(true));
  }
}
