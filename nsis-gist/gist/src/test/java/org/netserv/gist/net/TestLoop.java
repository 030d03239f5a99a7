// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An event loop of its own, with methods that observe it. */
final class TestLoop implements AutoCloseable {
  /** Long enough for the busiest machine; nothing is measured by it. */
  static final long PATIENCE_SECONDS = 60;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();

  EventLoop loop() {
    return loop;
  }

  /** Runs a task on the loop and returns its result. */
  <T> T on(Callable<T> task) throws Exception {
    return loop.submit(task).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits until a condition holds, asked on the loop. */
  void until(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!on(condition)) {
      if (System.nanoTime() > end) {
        throw new TimeoutException("it never became so");
      }
      Thread.sleep(2);
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
