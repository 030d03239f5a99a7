// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.base.Counter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a connection to Kamailio on a thread of its own. Calls wait in a bounded queue. Between
 * calls the thread empties Kamailio's queue of events. Kamailio itself never waits: its workers put
 * events into a queue in shared memory, and another process of Kamailio answers the calls.
 */
public final class KamailioLink implements Rpc, AutoCloseable {
  /** Calls that may wait. */
  static final int MOST_WAITING = 4096;

  /** Events that are taken between two calls. */
  static final int MOST_EVENTS = 256;

  private static final Logger LOG = LoggerFactory.getLogger(KamailioLink.class);
  private static final int EMPTY_QUEUE = 404;
  private static final long TIMEOUT_MILLIS = 2000;
  private static final long PAUSE_MILLIS = 1000;

  /** Hears from Kamailio, on the provider's thread. */
  public interface Listener {
    /** Called with the lines of the queue, oldest first. */
    void lines(List<String> lines);

    /** Called when a connection is made. Kamailio may have been restarted and know nothing. */
    void connected();
  }

  private record Call(String method, List<?> arguments, Consumer<RpcAnswer> done) {}

  private final Path socket;
  private final String queue;
  private final long pollMillis;
  private final Counters counters;
  private final Executor loop;
  private final Listener listener;
  private final BlockingQueue<Call> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Thread thread = new Thread(this::run, "kamailio");
  private volatile boolean closed;
  private volatile boolean connected;
  private String lastTrouble = "";

  /**
   * A link that is not started yet.
   *
   * @param socket of the module ctl
   * @param loop runs the listener and the answers
   */
  public KamailioLink(
      Path socket,
      String queue,
      long pollMillis,
      Counters counters,
      Executor loop,
      Listener listener) {
    this.socket = socket;
    this.queue = queue;
    this.pollMillis = pollMillis;
    this.counters = counters;
    this.loop = loop;
    this.listener = listener;
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  public boolean connected() {
    return connected;
  }

  @Override
  public boolean call(String method, List<?> arguments, Consumer<RpcAnswer> done) {
    if (!waiting.offer(new Call(method, List.copyOf(arguments), done))) {
      counters.add(Counter.RPC_FULL);
      return false;
    }
    return true;
  }

  private void run() {
    while (!closed) {
      try (CtlSocket ctl = CtlSocket.connect(socket, TIMEOUT_MILLIS)) {
        LOG.info("connected to Kamailio on {}", socket);
        counters.add(Counter.KAMAILIO_CONNECTS);
        connected = true;
        lastTrouble = "";
        loop.execute(listener::connected);
        serve(ctl);
      } catch (IOException e) {
        trouble(e);
      } catch (InterruptedException e) {
        return;
      } finally {
        connected = false;
      }
      if (!pause()) {
        return;
      }
    }
  }

  /** Says what is wrong once, not with each try. */
  private void trouble(IOException e) {
    String said = String.valueOf(e.getMessage());
    if (!said.equals(lastTrouble)) {
      LOG.warn("no connection to Kamailio on {}: {}", socket, said);
      lastTrouble = said;
    }
    for (Call call = waiting.poll(); call != null; call = waiting.poll()) {
      lost(call);
    }
  }

  private void serve(CtlSocket ctl) throws IOException, InterruptedException {
    long next = System.nanoTime();
    while (!closed) {
      long left = next - System.nanoTime();
      Call call = waiting.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
      if (call != null) {
        make(ctl, call);
      }
      if (next - System.nanoTime() <= 0) {
        boolean more = fetch(ctl);
        next = System.nanoTime() + (more ? 0 : TimeUnit.MILLISECONDS.toNanos(pollMillis));
      }
    }
  }

  private void make(CtlSocket ctl, Call call) throws IOException {
    counters.add(Counter.RPC_CALLS);
    RpcAnswer answer;
    try {
      answer = ctl.call(call.method(), call.arguments());
    } catch (IOException e) {
      lost(call);
      throw e;
    }
    if (!answer.done()) {
      counters.add(Counter.RPC_REFUSED);
    }
    loop.execute(() -> call.done().accept(answer));
  }

  private void lost(Call call) {
    counters.add(Counter.RPC_LOST);
    RpcAnswer lost = new RpcAnswer(RpcAnswer.LOST, "no answer of Kamailio", List.of());
    loop.execute(() -> call.done().accept(lost));
  }

  /** Takes events. Returns true if there may be more. */
  private boolean fetch(CtlSocket ctl) throws IOException {
    List<String> lines = new ArrayList<>();
    RpcAnswer answer = ctl.call("mqueue.fetch", List.of(queue));
    while (answer.done() && lines.size() < MOST_EVENTS) {
      Object event = answer.records().isEmpty() ? null : answer.records().get(0);
      lines.add(CtlSocket.member(event, "val"));
      answer = ctl.call("mqueue.fetch", List.of(queue));
    }
    if (answer.done()) {
      Object event = answer.records().isEmpty() ? null : answer.records().get(0);
      lines.add(CtlSocket.member(event, "val"));
    } else if (answer.code() != EMPTY_QUEUE) {
      throw new IOException("mqueue.fetch " + queue + ": " + answer.reason());
    }
    if (!lines.isEmpty()) {
      loop.execute(() -> listener.lines(lines));
    }
    return answer.done();
  }

  private boolean pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Ends the connection. Calls that wait are lost. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
