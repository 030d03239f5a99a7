// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks the node once a second while somebody watches, and gives all who watch the same document.
 * Safe for use by several threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the source tells of its faults in the document
final class Feed implements AutoCloseable {
  private static final long PERIOD_MILLIS = 1_000;

  private final Supplier<String> source;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(Feed::daemon);
  private int watching;
  private long number; // of the latest document
  private byte[] latest = {};
  private boolean closed;

  /**
   * @param source of a JSON document on one line, also when the node does not answer
   */
  Feed(Supplier<String> source) {
    this.source = source;
    clock.scheduleWithFixedDelay(this::turn, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "dashboard-feed");
    thread.setDaemon(true);
    return thread;
  }

  private void turn() {
    if (isWatched()) {
      publish(source.get());
    }
  }

  private synchronized boolean isWatched() {
    return watching > 0;
  }

  /** Gives a document to all who wait. */
  synchronized void publish(String document) {
    latest = ("data: " + document + "\n\n").getBytes(StandardCharsets.UTF_8);
    number++;
    notifyAll();
  }

  /**
   * Begins to watch.
   *
   * @return the number of the latest document, which {@link #next} waits beyond
   */
  synchronized long join() {
    watching++;
    return number;
  }

  synchronized void leave() {
    watching--;
  }

  /** Returns the number of those who watch. */
  synchronized int watching() {
    return watching;
  }

  /** An event of the stream, with the number of its document. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Event(long number, byte[] bytes) {}

  /**
   * Waits for a document newer than that number.
   *
   * @return null when the feed has ended
   */
  synchronized Event next(long after) throws InterruptedException {
    while (number <= after && !closed) {
      wait();
    }
    return closed ? null : new Event(number, latest);
  }

  @Override
  public void close() {
    clock.shutdownNow();
    synchronized (this) {
      closed = true;
      notifyAll();
    }
  }
}
