// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.ServalEndpoint;
import org.netserv.serval.endpoint.ServalLoop;

/**
 * An event loop with an endpoint of Serval and its UDP socket. Channels, handlers and the endpoint
 * share its thread, so that no byte changes threads. It is the group of a bootstrap by itself, and
 * a program with several processors has several, each of which is a host of Serval.
 */
public final class ServalEventLoop extends SingleThreadEventLoop {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(ServalEventLoop.class);
  private static final long MOST_SLEEP = 1_000; // milliseconds

  private final ServalLoop loop;
  private final Set<Channel> channels = new HashSet<>();
  private final AtomicBoolean asleep = new AtomicBoolean();

  private ServalEventLoop(ServalLoop loop) {
    super((EventLoopGroup) null, new DefaultThreadFactory("serval", true), false);
    this.loop = loop;
  }

  /**
   * Opens the socket, and starts with the first task.
   *
   * @param local an address of this host, not the unspecified one; port 0 for any free port
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the address is unresolved or unspecified, or the router's
   */
  public static ServalEventLoop open(InetSocketAddress local, EndpointSettings settings)
      throws IOException {
    return new ServalEventLoop(ServalLoop.open(local, settings));
  }

  /**
   * Opens the socket behind a port that something forwards in both directions, such as {@code
   * listen} of a node's policy for a container.
   *
   * @param local the address to bind, which may be the unspecified one
   * @param known address and port by which others reach the socket. Its packets have to come from
   *     there, too
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the known address is unresolved, unspecified or the
   *     router's
   */
  public static ServalEventLoop open(
      InetSocketAddress local, InetSocketAddress known, EndpointSettings settings)
      throws IOException {
    return new ServalEventLoop(ServalLoop.open(local, known, settings));
  }

  /** Moves all channels and services to another local address, while the old one may be gone. */
  public Future<InetSocketAddress> move(InetSocketAddress to) {
    return submit(() -> loop.move(to));
  }

  /** Returns the present local address with its port. */
  public InetSocketAddress localAddress() {
    return loop.localAddress();
  }

  /** Returns the endpoint, for calls on the thread of the loop. */
  public ServalEndpoint endpoint() {
    return loop.endpoint();
  }

  void add(Channel channel) {
    channels.add(channel);
  }

  void remove(Channel channel) {
    channels.remove(channel);
  }

  @Override
  protected void run() {
    boolean ends = false;
    while (!ends) {
      try {
        select();
        loop.receive(ServalEventLoop::failed);
        runAllTasks();
        loop.send(ServalEventLoop::failed);
      } catch (IOException e) {
        failed(new IllegalStateException("the selector of a socket of Serval fails", e));
      } catch (RuntimeException e) {
        failed(e);
      }
      ends = isShuttingDown() && ends();
    }
  }

  /** Whoever adds a task behind the look for tasks finds the thread asleep, and wakes it up. */
  private void select() throws IOException {
    asleep.set(true);
    try {
      loop.select(sleep());
    } finally {
      asleep.set(false);
    }
  }

  private long sleep() {
    long nanos = hasTasks() ? 0 : delayNanos(System.nanoTime());
    return Math.min(MOST_SLEEP, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999));
  }

  private boolean ends() {
    for (Channel channel : List.copyOf(channels)) {
      channel.unsafe().close(channel.unsafe().voidPromise());
    }
    return confirmShutdown();
  }

  private static void failed(RuntimeException failure) {
    LOGGER.warn("A handler of a channel of Serval has failed", failure);
  }

  @Override
  protected void wakeup(boolean inEventLoop) {
    if (!inEventLoop && asleep.getAndSet(false)) {
      loop.wakeup();
    }
  }

  @Override
  protected void cleanup() {
    loop.endpoint().close();
    loop.close();
  }
}
