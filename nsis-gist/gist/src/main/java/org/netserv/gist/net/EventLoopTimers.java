// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.channel.EventLoop;
import java.util.Objects;
import org.netserv.gist.port.Timers;

/** Timers on the event loop that is the GIST thread; made for hundreds of thousands of them. */
public final class EventLoopTimers implements Timers {
  public EventLoopTimers(EventLoop loop) {
    Objects.requireNonNull(loop);
  }

  @Override
  public long now() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Timer schedule(long delayMillis, Runnable task) {
    throw new UnsupportedOperationException();
  }
}
