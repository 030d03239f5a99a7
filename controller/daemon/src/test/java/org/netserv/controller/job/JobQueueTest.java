// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JobQueueTest {
  private final JobQueue queue = new JobQueue();
  private final List<String> started = new ArrayList<>();

  private boolean submit(String user, int number) {
    return queue.submit(user, () -> started.add(user + number));
  }

  @Test
  void whoseServersHangDelaysNobodyElse() {
    for (int i = 0; i < JobQueue.AT_ONCE_OF_ONE + JobQueue.WAITING; i++) {
      assertTrue(submit("jane", i));
    }
    assertFalse(submit("jane", 99), "its share of those that wait is used up");
    assertEquals(List.of("jane0", "jane1", "jane2"), started);
    assertTrue(submit("john", 0));
    assertEquals("john0", started.get(3));
    queue.ended("jane");
    assertEquals("jane3", started.get(4));
    assertTrue(submit("jane", 100), "there is room again");
  }

  @Test
  void theyTakeTurns() {
    for (int user = 0; user < 6; user++) {
      for (int i = 0; i < 4; i++) {
        assertTrue(submit("u" + user + "-", i));
      }
    }
    assertEquals(JobQueue.AT_ONCE, started.size());
    started.clear();
    for (int i = 0; i < JobQueue.AT_ONCE; i++) {
      queue.ended("u" + i / 3 + "-");
    }
    assertEquals(10, started.size(), "the last ones of four, and the shares of two");
    assertEquals(
        List.of("u0-3", "u4-0", "u5-0"), started.subList(0, 3), "one of each, then the next");
  }
}
