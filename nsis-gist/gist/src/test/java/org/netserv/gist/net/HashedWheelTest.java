// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.port.Timers.Timer;

/** Compares the wheel with a list. */
class HashedWheelTest {
  private static final long START = 123_456_789;

  private final HashedWheel wheel = new HashedWheel(START);
  private long now = START;

  private void pass(long millis) {
    now += millis;
    wheel.advance(now);
  }

  @Test
  void firesNotBeforeItsTimeAndAtMostATickAfterIt() {
    for (long delay : new long[] {1, 7, 8, 9, 100, 32_767, 32_768, 40_000, 3_600_000}) {
      long[] firedAt = new long[1];
      long from = now;
      wheel.set(now + delay, () -> firedAt[0] = now);
      while (firedAt[0] == 0) {
        pass(1);
      }
      long late = firedAt[0] - from - delay;
      assertTrue(late >= 0 && late < HashedWheel.TICK, delay + " was late by " + late);
      assertEquals(0, wheel.size());
      assertEquals(-1, wheel.next());
    }
  }

  @Test
  void timersOfOneTickFireInTheOrderInWhichTheyWereSet() {
    List<Integer> fired = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int number = i;
      wheel.set(now + 50, () -> fired.add(number));
    }
    pass(100);
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), fired);
  }

  @Test
  void oneMayCancelAnotherOfTheSameTick() {
    List<String> fired = new ArrayList<>();
    Timer[] second = new Timer[1];
    wheel.set(
        now + 50,
        () -> {
          fired.add("first");
          second[0].cancel();
        });
    second[0] = wheel.set(now + 50, () -> fired.add("second"));
    Timer third = wheel.set(now + 50, () -> fired.add("third"));
    pass(100);
    third.cancel();
    assertEquals(List.of("first", "third"), fired);
    assertEquals(0, wheel.size());
  }

  @Test
  void whatATaskSetsFiresLater() {
    List<Long> fired = new ArrayList<>();
    wheel.set(now + 8, () -> wheel.set(now, () -> fired.add(now)));
    pass(8 + HashedWheel.TICK);
    assertEquals(1, fired.size() + wheel.size());
    pass(HashedWheel.TICK);
    assertEquals(1, fired.size());
  }

  @Test
  void aTaskThatThrowsDoesNotStopTheOthers() {
    List<String> fired = new ArrayList<>();
    wheel.set(
        now + 50,
        () -> {
          throw new IllegalStateException("one of the test");
        });
    wheel.set(now + 50, () -> fired.add("next"));
    pass(100);
    assertEquals(List.of("next"), fired);
  }

  @Test
  void aLongSleepFiresAllThatIsDueInOrderOfTime() {
    List<Integer> fired = new ArrayList<>();
    for (int i = 9; i >= 0; i--) {
      int number = i;
      wheel.set(now + 20_000L * (i + 1), () -> fired.add(number));
    }
    pass(20_000 * 9 + 10);
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8), fired);
    assertEquals(1, wheel.size());
  }

  /** Random setting, cancelling and passing of time, compared with a map of deadlines. */
  @Test
  void behavesAsAListWould() {
    Random random = new Random(5971);
    Map<Integer, Long> deadlines = new HashMap<>();
    Map<Integer, Timer> timers = new HashMap<>();
    Set<Integer> fired = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      int number = i;
      long deadline = now + random.nextInt(random.nextInt(10) == 0 ? 200_000 : 30_000);
      timers.put(i, wheel.set(deadline, () -> assertTrue(fired.add(number), "fired twice")));
      deadlines.put(i, deadline);
      if (random.nextInt(3) == 0) {
        int other = random.nextInt(i + 1);
        timers.get(other).cancel();
        if (!fired.contains(other)) {
          deadlines.remove(other);
        }
      }
      if (random.nextInt(50) == 0) {
        pass(random.nextInt(400));
      }
    }
    assertFired(deadlines, fired);
    pass(100_000);
    assertFired(deadlines, fired);
    pass(200_000);
    assertEquals(deadlines.keySet(), fired);
    assertEquals(0, wheel.size());
  }

  private void assertFired(Map<Integer, Long> deadlines, Set<Integer> fired) {
    int open = 0;
    for (Map.Entry<Integer, Long> entry : deadlines.entrySet()) {
      boolean done = fired.contains(entry.getKey());
      open += done ? 0 : 1;
      if (entry.getValue() <= now - HashedWheel.TICK) {
        assertTrue(done, "overdue");
      } else if (entry.getValue() > now) {
        assertTrue(!done, "too early");
      }
    }
    assertEquals(open, wheel.size());
  }
}
