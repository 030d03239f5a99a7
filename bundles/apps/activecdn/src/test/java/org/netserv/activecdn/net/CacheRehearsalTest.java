// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.netserv.activecdn.core.Rig;
import org.netserv.activecdn.core.Why;

class CacheRehearsalTest {
  private static final int OBJECTS = CacheRehearsal.CLIENTS / CacheRehearsal.SHARERS;
  private static final int REQUESTS = 2 * CacheRehearsal.CLIENTS + OBJECTS;

  private final Rig rig = new Rig();
  private final CacheRehearsal rehearsal = new CacheRehearsal(rig.edge.settings(), Runnable::run);
  private final AtomicLong clock = new AtomicLong();

  private long microsecondByMicrosecond() {
    return clock.addAndGet(1_000);
  }

  @Test
  void eachClientGetsEachByteOfBothAnswers() {
    while (rehearsal.slice(this::microsecondByMicrosecond)) {}
    long content = (long) REQUESTS * CacheRehearsal.OBJECT;
    assertTrue(rehearsal.received() > content, "bytes: " + rehearsal.received());
    assertTrue(rehearsal.received() < content + REQUESTS * 512L, "bytes: " + rehearsal.received());
    assertEquals(OBJECTS, rehearsal.tally().get(Why.MISS));
    assertEquals(OBJECTS, rehearsal.tally().get(Why.JOINED));
    assertEquals(REQUESTS - 2L * OBJECTS, rehearsal.tally().get(Why.HIT));
  }

  @Test
  void aSliceEndsAfterTwoMilliseconds() {
    assertTrue(rehearsal.slice(this::microsecondByMicrosecond));
    assertEquals(2_001_000, clock.get());
  }

  @Test
  void leavesNoTrace() {
    while (rehearsal.slice(this::microsecondByMicrosecond)) {}
    assertEquals(0, rig.asked.size());
    for (Why why : Why.values()) {
      assertEquals(0, rig.tally.get(why), why.toString());
    }
  }
}
