// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/** A loop on the test's thread, with a clock that the test sets and real channels. */
final class TestLoop implements Loop, Closeable {
  private static final int PATIENCE = 1000;
  private static final int WAIT_MILLIS = 10;

  private final Selector selector;
  private final List<Due> timers = new ArrayList<>();
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private long now = 1_000_000_000_000L;

  TestLoop() throws IOException {
    selector = Selector.open();
  }

  private record Due(long at, Runnable task) {}

  @Override
  public void register(SelectableChannel channel, int operations, Ready ready) throws IOException {
    channel.register(selector, operations, ready);
  }

  @Override
  public void interest(SelectableChannel channel, int operations) {
    SelectionKey key = channel.keyFor(selector);
    if (key != null && key.isValid()) {
      key.interestOps(operations);
    }
  }

  @Override
  public void locked(Runnable task) {
    task.run();
  }

  @Override
  public void help(Runnable task) {
    tasks.add(task);
  }

  @Override
  public Timer at(long nanoTime, Runnable task) {
    Due due = new Due(nanoTime, task);
    timers.add(due);
    return () -> timers.remove(due);
  }

  @Override
  public long nanoTime() {
    return now;
  }

  /** Lets time pass, and runs all that is due. */
  void pass(long nanos) {
    now += nanos;
    for (Due due : List.copyOf(timers)) {
      if (due.at() <= now && timers.remove(due)) {
        due.task().run();
      }
    }
  }

  /** Handles what is ready, waiting a moment for it, and then runs the helpers' tasks. */
  void turn() throws IOException {
    selector.select(this::ready, WAIT_MILLIS);
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private void ready(SelectionKey key) {
    try {
      ((Ready) key.attachment()).ready(key);
    } catch (IOException e) {
      key.cancel();
    }
  }

  /** Turns until something is so. Returns whether it has become so. */
  boolean until(BooleanSupplier done) throws IOException {
    for (int i = 0; i < PATIENCE && !done.getAsBoolean(); i++) {
      turn();
    }
    return done.getAsBoolean();
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : List.copyOf(selector.keys())) {
      key.channel().close();
    }
    selector.close();
  }
}
