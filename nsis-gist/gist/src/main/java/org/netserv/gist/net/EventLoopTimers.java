// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.netserv.gist.port.Timers;

/**
 * Timers on the event loop that is the GIST thread, made for hundreds of thousands of timers. The
 * loop knows only one of them, the next tick of a {@link HashedWheel} that has any. No timer fires
 * before its time. All fire within 8 ms after it while the loop keeps up. Delay 0 is the next turn
 * of the loop.
 */
public final class EventLoopTimers implements Timers {
  private final EventLoop loop;
  private final HashedWheel wheel;
  private Future<?> wake;
  private long wakeAt;
  private boolean advancing;

  public EventLoopTimers(EventLoop loop) {
    this.loop = loop;
    wheel = new HashedWheel(now());
  }

  @Override
  public long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Sets a timer. On another thread than the GIST thread, the timer is set a moment later. */
  @Override
  public Timer schedule(long delayMillis, Runnable task) {
    if (delayMillis <= 0) {
      AtomicBoolean wanted = new AtomicBoolean(true);
      loop.execute(
          () -> {
            if (wanted.getAndSet(false)) {
              task.run();
            }
          });
      return () -> wanted.set(false);
    }
    long moment = now() + delayMillis;
    if (loop.inEventLoop()) {
      return set(moment, task);
    }
    AtomicReference<Timer> there = new AtomicReference<>();
    loop.execute(() -> there.set(set(moment, task)));
    return () ->
        loop.execute( // after the timer was set
            () -> there.get().cancel());
  }

  private Timer set(long moment, Runnable task) {
    Timer timer = wheel.set(moment, task);
    arm();
    return timer;
  }

  private void arm() {
    long next = wheel.next();
    if (advancing || next < 0 || (wake != null && wakeAt <= next)) {
      return; // a wake-up that comes too early arms the next one
    }
    if (wake != null) {
      wake.cancel(false);
    }
    wakeAt = next;
    wake = loop.schedule(this::advance, Math.max(0, next - now()), TimeUnit.MILLISECONDS);
  }

  private void advance() {
    wake = null;
    advancing = true;
    wheel.advance(now());
    advancing = false;
    arm();
  }
}
