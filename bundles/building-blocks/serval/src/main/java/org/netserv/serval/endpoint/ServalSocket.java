// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * An endpoint on one UDP socket, with a daemon thread of its own. Any thread may call a socket.
 * Programs reach the endpoint, its bindings and its flows by {@link #call}, on the socket's thread.
 * Handlers run there, too, and must not block. An exception of a handler goes to the thread's
 * handler of uncaught exceptions, and the socket goes on.
 *
 * <p>A program that ends without {@link #close} leaves its services registered for 50 s.
 */
public final class ServalSocket implements Closeable {
  private static final long MOST_SLEEP = 60_000;

  private final ServalLoop loop;
  private final Queue<Call<?>> calls = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean open = true;
  private boolean ended; // under the lock of the calls

  private ServalSocket(ServalLoop loop) {
    this.loop = loop;
    thread = new Thread(this::run, "serval-" + loop.localAddress().getPort());
    thread.setDaemon(true);
  }

  /**
   * Opens the socket.
   *
   * @param local an address of this host, not the unspecified one, because the packets of set-up
   *     and moves name it; port 0 for any free port. A link-local address of IPv6 reaches nobody,
   *     because addresses of Serval have no scope
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the address is unresolved or unspecified, or the router's
   */
  public static ServalSocket open(InetSocketAddress local, EndpointSettings settings)
      throws IOException {
    ServalSocket socket = new ServalSocket(ServalLoop.open(local, settings));
    socket.thread.start();
    return socket;
  }

  // ---- calls of any thread

  /**
   * Runs a call on the thread of the endpoint, in the order of the calls. A handler's call runs at
   * once.
   *
   * @return its result, which fails by the exception of the call, or by {@link IOException} if the
   *     socket is closed
   */
  public <T> CompletableFuture<T> call(Function<ServalEndpoint, T> function) {
    Call<T> call = new Call<>(function, new CompletableFuture<>());
    if (Thread.currentThread() == thread && open) {
      call.run(loop.endpoint());
      return call.result();
    }
    boolean waits;
    synchronized (calls) {
      waits = !ended;
      if (waits) {
        calls.add(call);
        loop.wakeup();
      }
    }
    if (!waits) {
      call.refuse();
    }
    return call.result();
  }

  /**
   * Moves all flows and services to another local address. The old one goes on until no flow needs
   * it, and 10 s from then. It may be gone already. At most 8 addresses are open at a time, and the
   * oldest is closed for a new one.
   *
   * @param to as in {@link #open}
   * @return the new address with its port. It fails by {@link UncheckedIOException} if the address
   *     cannot be bound, and by {@link IllegalArgumentException} if it is unspecified
   */
  public CompletableFuture<InetSocketAddress> move(InetSocketAddress to) {
    return call(
        moving -> {
          try {
            return loop.move(to);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Returns the present local address with its port. */
  public InetSocketAddress localAddress() {
    return loop.localAddress();
  }

  /**
   * Withdraws all services, breaks off the flows that are open, and waits for the end of the
   * thread. Of a handler the call only begins this. A second call does nothing. Each message of
   * this is sent once. A router that does not get it forgets the service after 50 s.
   */
  @Override
  public void close() {
    open = false;
    synchronized (calls) {
      if (!ended) {
        loop.wakeup();
      }
    }
    if (Thread.currentThread() != thread) {
      join();
    }
  }

  private void join() {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- the thread

  private void run() {
    try {
      while (open) {
        round();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the selector of a socket of Serval fails", e);
    } finally {
      end();
    }
  }

  private void round() throws IOException {
    loop.select(MOST_SLEEP);
    loop.receive(this::failed);
    guarded(this::calls);
    loop.send(this::failed);
  }

  private void calls() {
    for (Call<?> call = calls.poll(); call != null; call = calls.poll()) {
      call.run(loop.endpoint());
    }
  }

  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  /** Gives a failure of a handler to the thread's own handler, and goes on. */
  private void failed(RuntimeException failure) {
    thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
  }

  private void end() {
    guarded(loop.endpoint()::close);
    synchronized (calls) {
      ended = true;
      loop.close();
    }
    calls.forEach(Call::refuse);
  }

  /** A call that waits for the thread. */
  private record Call<T>(Function<ServalEndpoint, T> function, CompletableFuture<T> result) {
    void run(ServalEndpoint endpoint) {
      try {
        result.complete(function.apply(endpoint));
      } catch (Throwable e) { // an Error, too, or the caller would wait for ever
        result.completeExceptionally(e);
      }
    }

    void refuse() {
      result.completeExceptionally(new IOException("the socket is closed"));
    }
  }
}
