// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DueWheelTest {
  private final List<Integer> due = new ArrayList<>();

  @Test
  void whatIsDueIsToldOnceAndNotBefore() {
    DueWheel wheel = new DueWheel(4);
    wheel.set(0, 100);
    wheel.set(1, 100);
    wheel.set(2, 400_000); // more than one turn
    wheel.set(3, 50);
    wheel.cancel(3);
    wheel.advance(99, due::add);
    assertEquals(List.of(), due);
    wheel.advance(200, due::add);
    assertEquals(List.of(1, 0), due);
    wheel.advance(399_999, due::add);
    assertEquals(2, due.size());
    wheel.advance(400_100, due::add);
    assertEquals(List.of(1, 0, 2), due);
  }

  @Test
  void theLastDeadlineCounts() {
    int things = 500;
    DueWheel wheel = new DueWheel(things);
    long[] deadlines = new long[things];
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      int thing = random.nextInt(things);
      deadlines[thing] = 1L + random.nextInt(600_000);
      wheel.set(thing, deadlines[thing]);
    }
    for (long now = 0; now <= 601_000; now += 1000) {
      long time = now;
      wheel.advance(
          now,
          thing -> {
            due.add(thing);
            assertTrue(deadlines[thing] <= time, thing + " too early");
            assertTrue(deadlines[thing] > time - 1000 - 2 * DueWheel.SLOT_MS, thing + " too late");
          });
    }
    assertEquals(things, due.size());
    assertEquals(things, due.stream().distinct().count());
  }

  @Test
  void aThingMayBeSetAgainWhileItIsTold() {
    DueWheel wheel = new DueWheel(1);
    wheel.set(0, 10);
    wheel.advance(
        500,
        thing -> {
          due.add(thing);
          if (due.size() < 3) {
            wheel.set(thing, 0); // at once: the next slot
          }
        });
    assertEquals(3, due.size());
  }
}
