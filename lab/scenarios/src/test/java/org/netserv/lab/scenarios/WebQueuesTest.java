// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A model of the queues of {@code serval-web}: users ask again as soon as they are served, the
 * router draws an instance for each request, and an instance serves one request after the other.
 */
final class WebQueuesTest {
  private static final int RUNS = 400;
  private static final double RATE = 16;
  private static final double WARM = 1;

  /** Seconds in which an instance that has started registers. */
  private static final double REGISTERS = 0.5;

  private static final double ARRIVAL = 0.8;

  /** A moment of the model: a request is over, or a user or an instance comes. */
  private record Event(double time, int instance, Kind kind) {}

  private enum Kind {
    SERVED,
    USER,
    JOIN,
    LEAVE
  }

  /** One run of the steps of the long form. */
  private static final class Run {
    private final Random random;
    private final PriorityQueue<Event> events =
        new PriorityQueue<>((a, b) -> Double.compare(a.time(), b.time()));
    private final List<Integer> active = new ArrayList<>(List.of(0, 1));
    private final double[] free = new double[4];
    private final int[] served = new int[WebStep.FULL.size()];

    Run(int seed, int users, int joining) {
      random = new Random(seed);
      arrive(0, users);
      double at = 0;
      for (WebStep step : WebStep.FULL) {
        int place = step.places().get(0);
        if (step.kind() == WebStep.Kind.JOIN) {
          events.add(new Event(at + REGISTERS, place, Kind.JOIN));
          arrive(at + ARRIVAL, joining);
        } else if (step.kind() != WebStep.Kind.START) {
          events.add(new Event(at, place, Kind.LEAVE));
        }
        at += step.seconds();
      }
      while (!events.isEmpty() && events.peek().time() < at) {
        take(events.poll());
      }
    }

    private void arrive(double at, int users) {
      for (int i = 0; i < users; i++) {
        events.add(new Event(at + random.nextDouble() * 0.2, 0, Kind.USER));
      }
    }

    private void take(Event event) {
      switch (event.kind()) {
        case JOIN -> {
          active.add(event.instance());
          free[event.instance()] = event.time();
        }
        case LEAVE -> active.remove((Integer) event.instance());
        case USER -> ask(event.time());
        case SERVED -> {
          count(event.time());
          ask(event.time());
        }
      }
    }

    private void ask(double time) {
      int instance = active.get(random.nextInt(active.size()));
      free[instance] = Math.max(time, free[instance]) + 1 / RATE;
      events.add(new Event(free[instance], instance, Kind.SERVED));
    }

    private void count(double time) {
      double begin = 0;
      for (int i = 0; i < served.length; i++) {
        double end = begin + WebStep.FULL.get(i).seconds();
        served[i] += time > begin + WARM && time <= end ? 1 : 0;
        begin = end;
      }
    }

    /** Returns the largest part of the proportional rate that is missing behind a join. */
    double missing() {
      return IntStream.range(0, served.length)
          .filter(i -> WebStep.FULL.get(i).kind() == WebStep.Kind.JOIN)
          .mapToDouble(i -> 1 - served[i] / proportional(WebStep.FULL.get(i)))
          .max()
          .orElseThrow();
    }

    private static double proportional(WebStep step) {
      return (step.seconds() - WARM) * RATE * step.left();
    }
  }

  private static long beyond(double part, int users, int joining) {
    return IntStream.range(0, RUNS)
        .filter(seed -> new Run(seed, users, joining).missing() > part)
        .count();
  }

  @Test
  void usersWhoComeWithAJoinKeepItsQueueFilled() {
    assertEquals(0, beyond(0.05, 60, 60));
  }

  @Test
  void withoutThemChanceMissesTheBound() {
    assertTrue(beyond(0.05, 120, 0) > RUNS / 50);
  }
}
