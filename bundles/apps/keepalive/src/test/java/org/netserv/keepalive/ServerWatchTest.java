// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.keepalive.ServerState.ALIVE;
import static org.netserv.keepalive.ServerState.DEAD;
import static org.netserv.keepalive.ServerState.SUSPECT;
import static org.netserv.keepalive.ServerState.UNKNOWN;
import static org.netserv.keepalive.ServerWatch.Event.ANSWERED;
import static org.netserv.keepalive.ServerWatch.Event.BARRED;
import static org.netserv.keepalive.ServerWatch.Event.UNANSWERED;

import org.junit.jupiter.api.Test;

class ServerWatchTest {
  private static final long INTERVAL = 5_000;

  private static ServerWatch after(ServerWatch.Event... events) {
    ServerWatch watch = new ServerWatch(INTERVAL, 0);
    for (ServerWatch.Event event : events) {
      watch.event(event, 0);
    }
    return watch;
  }

  private static ServerWatch in(ServerState state) {
    return switch (state) {
      case UNKNOWN -> after();
      case ALIVE -> after(ANSWERED);
      case SUSPECT -> after(ANSWERED, UNANSWERED);
      case DEAD -> after(ANSWERED, UNANSWERED, UNANSWERED, UNANSWERED);
    };
  }

  @Test
  void everyEventInEveryState() {
    ServerState[][] table = { // in: ANSWERED, UNANSWERED, BARRED
      {ALIVE, UNKNOWN, UNKNOWN}, {ALIVE, SUSPECT, SUSPECT},
      {ALIVE, SUSPECT, SUSPECT}, {ALIVE, DEAD, DEAD},
    };
    ServerState[] states = {UNKNOWN, ALIVE, SUSPECT, DEAD};
    ServerWatch.Event[] events = {ANSWERED, UNANSWERED, BARRED};
    for (int i = 0; i < states.length; i++) {
      for (int j = 0; j < events.length; j++) {
        ServerWatch watch = in(states[i]);
        assertEquals(states[i], watch.state());
        watch.event(events[j], 0);
        assertEquals(table[i][j], watch.state(), states[i] + " " + events[j]);
      }
    }
  }

  @Test
  void theThirdStrikeKills() {
    assertEquals(SUSPECT, after(ANSWERED, UNANSWERED, BARRED).state());
    assertEquals(DEAD, after(ANSWERED, UNANSWERED, BARRED, UNANSWERED).state());
    assertEquals(SUSPECT, after(ANSWERED, UNANSWERED, ANSWERED, UNANSWERED).state());
  }

  @Test
  void aServerThatNeverAnsweredIsDeadUnlessItCouldNotBeAsked() {
    assertEquals(UNKNOWN, after(UNANSWERED, UNANSWERED).state());
    assertEquals(DEAD, after(UNANSWERED, UNANSWERED, UNANSWERED).state());
    assertEquals(UNKNOWN, after(BARRED, BARRED, BARRED).state());
  }

  @Test
  void timesOfRequests() {
    ServerWatch watch = new ServerWatch(INTERVAL, 0);
    assertTrue(watch.isDue(0));
    watch.asked(0);
    assertFalse(watch.isDue(1999));
    watch.event(ANSWERED, 1999);
    assertFalse(watch.isDue(6998));
    assertTrue(watch.isDue(6999));
    watch.asked(6999);
    assertFalse(watch.isDue(8999)); // patience ends: suspect
    assertEquals(SUSPECT, watch.state());
    assertTrue(watch.isDue(9999));
    watch.asked(9999);
    assertFalse(watch.isDue(11_999));
    assertTrue(watch.isDue(12_999));
    watch.asked(12_999);
    assertFalse(watch.isDue(14_999));
    assertEquals(DEAD, watch.state()); // 8 s after the last request that it could have answered
    assertTrue(watch.isDue(15_999));
  }

  @Test
  void oneThatCannotBeReachedIsAskedOnceAMinute() {
    ServerWatch watch = after(BARRED, BARRED, BARRED);
    assertFalse(watch.isDue(59_999));
    assertTrue(watch.isDue(60_000));
  }
}
