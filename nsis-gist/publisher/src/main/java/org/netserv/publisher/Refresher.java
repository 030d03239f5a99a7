// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.netserv.gist.port.Timers;
import org.netserv.ncm.ResponseStack.Signer;

/**
 * The life of a deployment. Its mutable fields belong to the GIST thread.
 *
 * <pre>
 *   send -> answered: every node did it      -> again after 1/2 to 3/4 of the TTL
 *        -> else (time-out, refusal, nobody) -> again after 1/16 to 1/8 of the TTL, one second
 *                                               at least
 * </pre>
 */
final class Refresher implements Deployment {
  private static final long SHORTEST_MILLIS = 1000;

  private final Engine engine;
  private final SecureRandom random;
  private final long ttlMillis;
  private final Supplier<CompletionStage<PathAnswer>> setup;
  private final Supplier<CompletionStage<PathAnswer>> remove;
  private final Listener listener;
  private final Executor callbacks;
  private final CompletableFuture<PathAnswer> first = new CompletableFuture<>();

  private volatile PathAnswer latest;
  private volatile boolean closed;
  private Timers.Timer timer;
  private CompletableFuture<PathAnswer> sending;
  private Map<String, NodeAnswer> running = Map.of();

  Refresher(
      Engine engine,
      SecureRandom random,
      long ttlMillis,
      Supplier<CompletionStage<PathAnswer>> setup,
      Supplier<CompletionStage<PathAnswer>> remove,
      Listener listener,
      Executor callbacks) {
    this.engine = engine;
    this.random = random;
    this.ttlMillis = ttlMillis;
    this.setup = setup;
    this.remove = remove;
    this.listener = listener;
    this.callbacks = new InOrder(callbacks);
  }

  @Override
  public CompletionStage<PathAnswer> first() {
    return first.minimalCompletionStage();
  }

  @Override
  public Optional<PathAnswer> latest() {
    return Optional.ofNullable(latest);
  }

  @Override
  public CompletionStage<PathAnswer> refresh() {
    CompletableFuture<PathAnswer> result = new CompletableFuture<>();
    engine.execute(() -> pass(send(), result));
    return result.minimalCompletionStage();
  }

  @Override
  public CompletionStage<PathAnswer> remove() {
    close();
    return remove.get();
  }

  @Override
  public void close() {
    closed = true;
    engine.execute(this::cancel);
  }

  boolean closed() {
    return closed;
  }

  private void cancel() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Sends the SETUP. If a SETUP is under way, returns its answer instead. */
  private CompletionStage<PathAnswer> send() {
    if (sending != null) {
      return sending;
    }
    cancel();
    if (closed) {
      return CompletableFuture.failedFuture(new IllegalStateException("closed"));
    }
    CompletableFuture<PathAnswer> answer = new CompletableFuture<>();
    sending = answer;
    setup.get().whenComplete((path, failure) -> engine.execute(() -> done(answer, path, failure)));
    return answer;
  }

  private void done(CompletableFuture<PathAnswer> answer, PathAnswer path, Throwable failure) {
    sending = null;
    boolean good = path != null && path.outcome() == PathAnswer.Outcome.DONE;
    if (!closed) {
      timer = engine.timers().schedule(delay(good), this::send);
    }
    if (path == null) {
      answer.completeExceptionally(failure);
    } else {
      latest = path;
      callbacks.execute(() -> listener.answered(path));
      compare(path);
      answer.complete(path);
    }
    pass(answer, first);
  }

  private long delay(boolean good) {
    double part = good ? 0.5 + random.nextDouble() / 4 : 0.0625 + random.nextDouble() / 16;
    return Math.max(SHORTEST_MILLIS, (long) (ttlMillis * part));
  }

  /**
   * Compares an answer with the nodes that run the module, and tells the listener the difference.
   * If the path is not known to its end, a missing node proves nothing. The listener then hears of
   * nodes that joined or refuse.
   */
  private void compare(PathAnswer path) {
    Map<String, NodeAnswer> now = new LinkedHashMap<>();
    for (NodeAnswer node : path.nodes()) {
      if (node.done()) {
        now.put(node.nodeId(), node);
      }
    }
    List<NodeAnswer> joined = new ArrayList<>();
    now.forEach((id, node) -> addUnless(running.containsKey(id), node, joined));
    List<NodeAnswer> left = new ArrayList<>();
    for (NodeAnswer node : running.values()) {
      boolean refuses =
          path.node(node.nodeId()).filter(n -> n.signer() != Signer.FORGED).isPresent();
      boolean gone = !now.containsKey(node.nodeId()) && (path.end().last() || refuses);
      addUnless(!gone, node, left);
      if (!gone) {
        now.putIfAbsent(node.nodeId(), node);
      }
    }
    running = now;
    if (!joined.isEmpty() || !left.isEmpty()) {
      Change change = new Change(joined, left, path);
      callbacks.execute(() -> listener.changed(change));
    }
  }

  private static void addUnless(boolean not, NodeAnswer node, List<NodeAnswer> list) {
    if (!not) {
      list.add(node);
    }
  }

  /**
   * Completes the second stage as the first, on the client's executor and not on the GIST thread.
   */
  private void pass(CompletionStage<PathAnswer> from, CompletableFuture<PathAnswer> to) {
    from.whenComplete(
        (path, failure) ->
            callbacks.execute(
                () -> {
                  if (failure == null) {
                    to.complete(path);
                  } else {
                    to.completeExceptionally(failure);
                  }
                }));
  }
}
