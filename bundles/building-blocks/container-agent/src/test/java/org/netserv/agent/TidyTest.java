// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TidyTest {
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  /** Ten modules one after the other are one collection, after the last. */
  @Test
  void eachInstallationPutsOffTheOneCollection() {
    timer.setRemoveOnCancelPolicy(true);
    Tidy tidy = new Tidy(timer);
    tidy.later();
    Runnable first = timer.getQueue().peek();
    tidy.later();
    assertEquals(1, timer.getQueue().size());
    assertFalse(timer.getQueue().contains(first), "the first is put off");
  }
}
