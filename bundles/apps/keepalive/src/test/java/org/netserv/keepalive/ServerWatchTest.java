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

  private static ServerWatch after(boolean mustAnswer, ServerWatch.Event... events) {
    ServerWatch watch = new ServerWatch(INTERVAL, mustAnswer, 0);
    for (ServerWatch.Event event : events) {
      watch.event(event, 0);
    }
    return watch;
  }

  private static ServerWatch in(ServerState state) {
    return switch (state) {
      case UNKNOWN -> after(false);
      case ALIVE -> after(false, ANSWERED);
      case SUSPECT -> after(false, ANSWERED, UNANSWERED);
      case DEAD -> after(false, ANSWERED, UNANSWERED, UNANSWERED, UNANSWERED);
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
    assertEquals(SUSPECT, after(false, ANSWERED, UNANSWERED, BARRED).state());
    assertEquals(DEAD, after(false, ANSWERED, UNANSWERED, BARRED, UNANSWERED).state());
    assertEquals(SUSPECT, after(false, ANSWERED, UNANSWERED, ANSWERED, UNANSWERED).state());
  }

  @Test
  void aServerThatNeverAnsweredIsDeadOnlyIfItMustAnswer() {
    assertEquals(UNKNOWN, after(false, UNANSWERED, UNANSWERED, UNANSWERED, UNANSWERED).state());
    assertEquals(UNKNOWN, after(true, UNANSWERED, UNANSWERED).state());
    assertEquals(DEAD, after(true, UNANSWERED, UNANSWERED, UNANSWERED).state());
    assertEquals(UNKNOWN, after(true, BARRED, BARRED, BARRED).state()); // the policy forbids it
  }

  @Test
  void timesOfRequests() {
    ServerWatch watch = new ServerWatch(INTERVAL, false, 0);
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
    ServerWatch watch = after(false, BARRED, BARRED, BARRED);
    assertFalse(watch.isDue(59_999));
    assertTrue(watch.isDue(60_000));
  }
}
