// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.netserv.activecdn.core.Origin;
import org.netserv.activecdn.core.Time;
import org.netserv.activecdn.core.Why;
import org.netserv.packet.Tally;

/**
 * Keeps connections to the one origin. A request takes the connection used last, or a new one, or
 * waits in a bounded queue.
 */
final class OriginPool implements Origin {
  final OriginSettings settings;
  final Time time;

  private final Executor loop;
  private final Dialer dialer;
  private final Tally<Why> tally;
  private final List<OriginConnection> open = new ArrayList<>();
  private final Deque<OriginConnection> idle = new ArrayDeque<>();
  private final Deque<OriginCall> queue = new ArrayDeque<>();
  private boolean closed;

  /** Opens connections. */
  @FunctionalInterface
  interface Dialer {
    /** Connects, with the handler in the pipeline. A failure is told to the handler. */
    void dial(OriginConnection handler);
  }

  OriginPool(Executor loop, Dialer dialer, OriginSettings settings, Time time, Tally<Why> tally) {
    this.loop = loop;
    this.dialer = dialer;
    this.settings = settings;
    this.time = time;
    this.tally = tally;
  }

  void count(Why why) {
    tally.count(why);
  }

  @Override
  public Call ask(Question question, Sink sink) {
    OriginCall call = new OriginCall(question, sink);
    place(call);
    return call;
  }

  private void place(OriginCall call) {
    call.since = time.ticks();
    OriginConnection kept = idle.pollLast();
    if (kept != null) {
      tally.count(Why.ORIGIN_REUSED);
      kept.begin(call, true, false);
    } else if (closed) {
      loop.execute(() -> call.fail(Why.ORIGIN_UNREACHABLE));
    } else if (hasRoom()) {
      dial(call);
    } else if (queue.size() < settings.queue()) {
      queue.add(call);
    } else {
      loop.execute(() -> call.fail(Why.ORIGIN_BUSY));
    }
    prepare();
  }

  /**
   * Makes connections for the next requests, as a crowd asks for new objects within milliseconds.
   * Only a request has this done, so those that nobody used are gone after the idle time.
   */
  private void prepare() {
    long free = idle.size() + open.stream().filter(OriginConnection::isComing).count();
    for (; !closed && free < settings.ready() && hasRoom(); free++) {
      dial(null);
    }
  }

  private boolean hasRoom() {
    return open.size() < settings.connections();
  }

  /**
   * Makes a connection.
   *
   * @param call null = for the next request
   */
  private void dial(OriginCall call) {
    OriginConnection connection = new OriginConnection(this, call);
    open.add(connection);
    dialer.dial(connection);
  }

  /**
   * Sends a request again whose kept connection was closed by the origin. The other kept ones are
   * as old, so a new one is made.
   */
  void retry(OriginCall call) {
    tally.count(Why.ORIGIN_RETRY);
    call.isRetried = true;
    call.leave();
    call.since = time.ticks();
    if (closed) {
      loop.execute(() -> call.fail(Why.ORIGIN_UNREACHABLE));
    } else {
      dial(call);
    }
  }

  /** Takes a connection back that can carry another request. */
  void free(OriginConnection connection) {
    OriginCall next = next();
    if (next != null) {
      tally.count(Why.ORIGIN_REUSED);
      connection.begin(next, true, true);
    } else {
      idle.addLast(connection);
    }
  }

  private OriginCall next() {
    OriginCall next = queue.poll();
    while (next != null && next.isOver()) {
      next = queue.poll();
    }
    return next;
  }

  /** Forgets a connection that is closed. */
  void closed(OriginConnection connection) {
    if (open.remove(connection)) {
      idle.remove(connection);
      OriginCall next = closed ? null : next();
      if (next != null) {
        dial(next);
      }
    }
  }

  /** Ends everything that has waited for too long. */
  void sweep() {
    long now = time.ticks();
    for (OriginConnection connection : List.copyOf(open)) {
      connection.sweep(now);
    }
    while (!queue.isEmpty() && now - queue.peek().since > settings.connect()) {
      queue.poll().fail(Why.ORIGIN_BUSY);
    }
  }

  void close() {
    closed = true;
    List.copyOf(open).forEach(OriginConnection::close);
    List.copyOf(queue).forEach(call -> call.fail(Why.ORIGIN_UNREACHABLE));
    queue.clear();
  }

  int connections() {
    return open.size();
  }
}
