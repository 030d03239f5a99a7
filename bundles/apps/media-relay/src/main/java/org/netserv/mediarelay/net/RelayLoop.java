// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** The real {@link Loop}: a selector of the JDK for streams, timers, and the lock. */
final class RelayLoop implements Loop, Closeable {
  private static final System.Logger LOG = System.getLogger(RelayLoop.class.getName());

  private static final long STOP_MILLIS = 2000;

  private final ReentrantLock lock;
  private final Timers timers;
  private final LongSupplier nanoTime;
  private final Runnable wakePacketThread;
  private final ExecutorService helpers;
  private final Selector selector;
  private final Thread thread;
  private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean ended;

  /**
   * @param wakePacketThread lets the packet thread look at the timers again
   * @param threads makes the stream thread
   */
  RelayLoop(
      ReentrantLock lock,
      Timers timers,
      LongSupplier nanoTime,
      Runnable wakePacketThread,
      ExecutorService helpers,
      ThreadFactory threads)
      throws IOException {
    this.lock = lock;
    this.timers = timers;
    this.nanoTime = nanoTime;
    this.wakePacketThread = wakePacketThread;
    this.helpers = helpers;
    selector = Selector.open();
    thread = threads.newThread(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!ended) {
        selector.select(this::ready);
        runChanges();
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "streams are served no more", e);
    } finally {
      end();
    }
  }

  private void runChanges() {
    for (Runnable change = changes.poll(); change != null; change = changes.poll()) {
      change.run();
    }
  }

  /** Closes the selector and all channels, also while they are being registered. */
  private void end() {
    ended = true;
    List<SelectionKey> keys = new ArrayList<>(selector.keys());
    try {
      selector.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the selector does not close", e);
    }
    keys.forEach(key -> close(key.channel()));
    runChanges();
  }

  private void ready(SelectionKey key) {
    try {
      ((Ready) key.attachment()).ready(key);
    } catch (IOException | RuntimeException e) {
      failures.incrementAndGet();
      key.cancel();
      close(key.channel());
    }
  }

  private static void close(SelectableChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "a channel does not close", e);
    }
  }

  /** Returns the number of channels that were closed because their handler has thrown. */
  long failures() {
    return failures.get();
  }

  @Override
  public void register(SelectableChannel channel, int operations, Ready ready) throws IOException {
    if (Thread.currentThread() == thread) {
      channel.register(selector, operations, ready);
      return;
    }
    change(
        () -> {
          try {
            channel.register(selector, operations, ready);
          } catch (IOException | RuntimeException e) {
            failures.incrementAndGet();
            close(channel);
          }
        });
  }

  @Override
  public void interest(SelectableChannel channel, int operations) {
    SelectionKey key = channel.keyFor(selector);
    if (key == null) {
      change(() -> interestNow(channel.keyFor(selector), operations));
    } else {
      interestNow(key, operations);
      if (Thread.currentThread() != thread) {
        selector.wakeup();
      }
    }
  }

  private static void interestNow(SelectionKey key, int operations) {
    if (key != null && key.isValid()) {
      key.interestOps(operations);
    }
  }

  private void change(Runnable what) {
    changes.add(what);
    selector.wakeup();
  }

  @Override
  public void locked(Runnable task) {
    lock.lock();
    try {
      task.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void help(Runnable task) {
    try {
      helpers.execute(task);
    } catch (RejectedExecutionException e) {
      failures.incrementAndGet(); // the relay ends
    }
  }

  @Override
  public Timer at(long due, Runnable task) {
    lock.lock();
    try {
      Timer timer = timers.at(due, task);
      wakePacketThread.run();
      return () -> locked(timer::cancel);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  /**
   * Ends the stream thread, which closes all its channels. Waits for that for 2 s. The caller does
   * not hold the lock, because the thread may be waiting for it.
   */
  @Override
  public void close() {
    ended = true;
    if (thread.getState() == Thread.State.NEW) {
      end();
      return;
    }
    selector.wakeup();
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
