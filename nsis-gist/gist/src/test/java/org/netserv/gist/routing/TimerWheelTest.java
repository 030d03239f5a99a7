// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.sim.SimClock;

class TimerWheelTest {
  private final SimClock clock = new SimClock();
  private final TimerWheel wheel = new TimerWheel(clock);
  private final List<String> fired = new ArrayList<>();

  private final class Named extends TimerWheel.Entry {
    private final String name;
    private long firedAt = -1;

    Named(String name) {
      this.name = name;
    }

    @Override
    protected void due() {
      firedAt = wheel.now();
      fired.add(name);
    }
  }

  @Test
  void firesToTheMillisecondOnEveryLevel() {
    long[] delays = {1, 2, 255, 256, 257, 65_535, 65_536, 70_000, 16_777_216, 4_294_967_296L};
    Named[] entries = new Named[delays.length];
    for (int i = 0; i < delays.length; i++) {
      entries[i] = new Named("e" + i);
      wheel.set(entries[i], delays[i]);
    }
    clock.pass(5_000_000_000L);
    for (int i = 0; i < delays.length; i++) {
      assertEquals(delays[i], entries[i].firedAt);
    }
    assertEquals(0, clock.pending());
  }

  /** Random operations against a table that is searched from end to end. */
  @Test
  void behavesLikeATable() {
    Random random = new Random(7);
    int count = 300;
    Named[] entries = new Named[count];
    long[] due = new long[count];
    Arrays.fill(due, Long.MAX_VALUE);
    Arrays.setAll(entries, i -> new Named("e" + i));
    for (int step = 0; step < 20_000; step++) {
      int i = random.nextInt(count);
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          due[i] = wheel.now() + 1 + random.nextLong(1L << random.nextInt(20));
          wheel.set(entries[i], due[i]);
        }
        case 2 -> {
          due[i] = Long.MAX_VALUE;
          wheel.cancel(entries[i]);
        }
        default -> {
          clock.pass(random.nextInt(3000));
          for (int k = 0; k < count; k++) {
            boolean expected = due[k] <= wheel.now();
            assertEquals(expected, due[k] != Long.MAX_VALUE && !entries[k].isSet());
            if (expected) {
              assertEquals(due[k], entries[k].firedAt);
              due[k] = Long.MAX_VALUE;
            }
          }
        }
      }
    }
  }

  @Test
  void oneTimerHoweverManyEntries() {
    for (int i = 0; i < 10_000; i++) {
      wheel.set(new Named("e" + i), 1000 + i);
    }
    assertEquals(1, clock.pending());
    clock.pass(20_000);
    assertEquals(10_000, fired.size());
    assertEquals(0, clock.pending());
  }

  @Test
  void cancellingTheLastOneLeavesNoTimer() {
    Named only = new Named("only");
    wheel.set(only, 5000);
    wheel.cancel(only);
    wheel.cancel(only);
    assertEquals(0, clock.pending());
    assertEquals(0, wheel.size());
  }

  @Test
  void whatIsSetWhileOneIsDueIsNotLost() {
    TimerWheel.Entry again =
        new TimerWheel.Entry() {
          @Override
          protected void due() {
            fired.add("at " + wheel.now());
            if (fired.size() < 3) {
              wheel.set(this, wheel.now());
            }
          }
        };
    wheel.set(again, 0);
    clock.pass(100);
    assertEquals(3, fired.size());
    assertTrue(fired.get(2).equals("at 3") || fired.get(2).equals("at 1"), fired.toString());
  }
}
