// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TidyTest {
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  /** Ten modules one after the other are one collection, after the last, and one trim behind it. */
  @Test
  void eachInstallationPutsOffTheOneCollection() {
    timer.setRemoveOnCancelPolicy(true);
    Tidy tidy = new Tidy(timer);
    tidy.later();
    List<Runnable> first = List.copyOf(timer.getQueue());
    tidy.later();
    assertEquals(2, timer.getQueue().size());
    for (Runnable put : first) {
      assertFalse(timer.getQueue().contains(put), "the first is put off");
    }
  }
}
