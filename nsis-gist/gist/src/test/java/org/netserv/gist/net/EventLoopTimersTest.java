// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.netserv.gist.port.Timers.Timer;

/** On a real event loop: order and number, never how long it took. */
class EventLoopTimersTest {
  private final TestLoop loops = new TestLoop();
  private final EventLoop loop = loops.loop();
  private final EventLoopTimers timers = new EventLoopTimers(loop);

  @AfterEach
  void stop() {
    loops.close();
  }

  @Test
  void firesInOrderOfTimeAndNotBeforeIt() throws Exception {
    CompletableFuture<List<Integer>> result = new CompletableFuture<>();
    loop.execute(
        () -> {
          List<Integer> fired = new ArrayList<>();
          long from = timers.now();
          timers.schedule(
              120,
              () -> {
                fired.add(timers.now() - from >= 120 ? 3 : -3);
                result.complete(fired);
              });
          timers.schedule(20, () -> fired.add(timers.now() - from >= 20 ? 1 : -1));
          timers.schedule(60, () -> fired.add(timers.now() - from >= 60 ? 2 : -2));
          timers.schedule(40, () -> fired.add(99)).cancel();
          timers.schedule(0, () -> fired.add(0));
          timers.schedule(0, () -> fired.add(98)).cancel();
          fired.add(-100); // delay 0 is not now
        });
    assertEquals(List.of(-100, 0, 1, 2, 3), result.get(60, TimeUnit.SECONDS));
  }

  @Test
  void anEarlierOneWakesEarlier() throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    loop.execute(
        () -> {
          timers.schedule(3_600_000, () -> first.complete("the hour"));
          timers.schedule(30, () -> first.complete("30 ms"));
        });
    assertEquals("30 ms", first.get(60, TimeUnit.SECONDS));
  }

  @Test
  void fromAnotherThreadItFiresOnTheLoop() throws Exception {
    CompletableFuture<Boolean> onLoop = new CompletableFuture<>();
    // The loop is held until the timer is cancelled, however slow we are.
    CountDownLatch held = new CountDownLatch(1);
    loop.execute(() -> awaitUninterruptibly(held));
    Timer cancelled = timers.schedule(10, () -> onLoop.completeExceptionally(new Exception()));
    cancelled.cancel();
    held.countDown();
    timers.schedule(50, () -> onLoop.complete(loop.inEventLoop()));
    assertTrue(onLoop.get(60, TimeUnit.SECONDS));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
