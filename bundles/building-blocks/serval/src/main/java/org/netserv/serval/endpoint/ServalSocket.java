// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.netserv.serval.Endpoint;

/**
 * An endpoint on one UDP socket, with a daemon thread of its own. Any thread may call a socket.
 * Programs reach the endpoint, its bindings and its flows by {@link #call}, on the socket's thread.
 * Handlers run there, too, and must not block. An exception of a handler goes to the thread's
 * handler of uncaught exceptions, and the socket goes on.
 *
 * <p>A program that ends without {@link #close} leaves its services registered for 50 s.
 */
public final class ServalSocket implements Closeable {
  private static final int LONGEST_PACKET = 65_535;
  private static final int BURST = 64;
  private static final long MOST_SLEEP = 60_000;
  private static final long START = System.nanoTime();

  private final Selector selector;
  private final LocalAddresses locals;
  private final ServalEndpoint endpoint;
  private final Queue<Call<?>> calls = new ConcurrentLinkedQueue<>();
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(LONGEST_PACKET);
  private final Thread thread;
  private volatile boolean open = true;
  private volatile Endpoint local;
  private boolean ended; // under the lock of the calls

  private ServalSocket(Selector selector, LocalAddresses locals, EndpointSettings settings) {
    this.selector = selector;
    this.locals = locals;
    local = locals.newest();
    endpoint =
        new ServalEndpoint(settings, locals, local, new SecureRandom(), ServalSocket::milliseconds);
    thread = new Thread(this::run, "serval-" + local.port());
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
    Selector selector = Selector.open();
    LocalAddresses locals = new LocalAddresses(selector);
    try {
      locals.open(local);
      ServalSocket socket = new ServalSocket(selector, locals, settings);
      socket.thread.start();
      return socket;
    } catch (IOException | RuntimeException e) {
      locals.close();
      throw e;
    }
  }

  private static long milliseconds() {
    return (System.nanoTime() - START) / 1_000_000;
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
      call.run(endpoint);
      return call.result();
    }
    boolean waits;
    synchronized (calls) {
      waits = !ended;
      if (waits) {
        calls.add(call);
        selector.wakeup();
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
            Endpoint address = locals.open(to);
            moving.move(address);
            local = address;
            return Addresses.socketAddress(address);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Returns the present local address with its port. */
  public InetSocketAddress localAddress() {
    return Addresses.socketAddress(local);
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
        selector.wakeup();
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
    long sleep = Math.min(MOST_SLEEP, endpoint.dueAt() - milliseconds());
    if (sleep <= 0) {
      selector.selectNow();
    } else {
      selector.select(sleep);
    }
    guarded(this::calls);
    selector.selectedKeys().clear();
    for (LocalAddress local : locals.all()) {
      guarded(() -> receive(local));
    }
    guarded(endpoint::due);
    locals.retain(endpoint::uses, milliseconds());
  }

  private void calls() {
    for (Call<?> call = calls.poll(); call != null; call = calls.poll()) {
      call.run(endpoint);
    }
  }

  private void receive(LocalAddress local) {
    for (int i = 0; i < BURST; i++) {
      Endpoint from = local.receive(bytes.clear());
      if (from == null) {
        return;
      }
      endpoint.receive(bytes.flip(), from, local.address());
    }
  }

  /** Gives a failure of a handler to the thread's own handler, and goes on. */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }

  private void end() {
    guarded(endpoint::close);
    synchronized (calls) {
      ended = true;
      locals.close();
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
