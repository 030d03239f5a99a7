// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.util.function.Consumer;
import org.netserv.serval.Endpoint;

/**
 * An endpoint with its UDP sockets, for a loop of the caller. All calls are on the thread of that
 * loop, but {@link #wakeup} and {@link #localAddress}.
 *
 * <pre>
 *   loop.select(most);        // until a packet comes, something is due, or wakeup()
 *   ...                       // calls of the program
 *   loop.round(failure -> ...);
 * </pre>
 */
public final class ServalLoop implements Closeable {
  private static final int LONGEST_PACKET = 65_535;
  private static final int BURST = 64;
  private static final long START = System.nanoTime();

  private final Selector selector;
  private final LocalAddresses locals;
  private final ServalEndpoint endpoint;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(LONGEST_PACKET);
  private volatile Endpoint local;

  private ServalLoop(Selector selector, LocalAddresses locals, EndpointSettings settings) {
    this.selector = selector;
    this.locals = locals;
    local = locals.newest();
    endpoint =
        new ServalEndpoint(settings, locals, local, new SecureRandom(), ServalLoop::milliseconds);
  }

  /**
   * Opens the socket.
   *
   * @param local an address of this host, not the unspecified one, because the packets of set-up
   *     and moves name it; port 0 for any free port
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the address is unresolved or unspecified, or the router's
   */
  public static ServalLoop open(InetSocketAddress local, EndpointSettings settings)
      throws IOException {
    return open(locals -> locals.open(local), settings);
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
  public static ServalLoop open(
      InetSocketAddress local, InetSocketAddress known, EndpointSettings settings)
      throws IOException {
    return open(locals -> locals.open(local, known), settings);
  }

  /** Opens the first address. */
  private interface Opening {
    void open(LocalAddresses locals) throws IOException;
  }

  private static ServalLoop open(Opening opening, EndpointSettings settings) throws IOException {
    Selector selector = Selector.open();
    LocalAddresses locals = new LocalAddresses(selector);
    try {
      opening.open(locals);
      return new ServalLoop(selector, locals, settings);
    } catch (IOException | RuntimeException e) {
      locals.close();
      throw e;
    }
  }

  private static long milliseconds() {
    return (System.nanoTime() - START) / 1_000_000;
  }

  public ServalEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Waits until a packet comes, the endpoint has something to do, or somebody wakes the loop up.
   *
   * @param most milliseconds, 0 to return at once
   */
  public void select(long most) throws IOException {
    long due = endpoint.dueAt();
    long now = milliseconds();
    long sleep = due <= now ? 0 : Math.min(most, due - now);
    if (sleep <= 0) {
      selector.selectNow();
    } else {
      selector.select(sleep);
    }
    selector.selectedKeys().clear();
  }

  /** Ends a {@link #select}, or the next one. Any thread may call this. */
  public void wakeup() {
    selector.wakeup();
  }

  /**
   * Takes the packets that have come, and does what is due.
   *
   * @param failures takes the exceptions of handlers, after which the loop goes on
   */
  public void round(Consumer<RuntimeException> failures) {
    for (LocalAddress from : locals.all()) {
      guarded(() -> receive(from), failures);
    }
    guarded(endpoint::due, failures);
    locals.retain(endpoint::uses, milliseconds());
  }

  private void receive(LocalAddress address) {
    for (int i = 0; i < BURST; i++) {
      Endpoint from = address.receive(bytes.clear());
      if (from == null) {
        return;
      }
      endpoint.receive(bytes.flip(), from, address.address());
    }
  }

  private static void guarded(Runnable work, Consumer<RuntimeException> failures) {
    try {
      work.run();
    } catch (RuntimeException e) {
      failures.accept(e);
    }
  }

  /**
   * Moves all flows and services to another local address, as {@link ServalSocket#move} does.
   *
   * @return the new address with its port
   * @throws IOException if the address cannot be bound
   * @throws IllegalArgumentException if the address is unresolved or unspecified
   */
  public InetSocketAddress move(InetSocketAddress to) throws IOException {
    Endpoint address = locals.open(to);
    endpoint.move(address);
    local = address;
    return Addresses.socketAddress(address);
  }

  /** Returns the present local address with its port. */
  public InetSocketAddress localAddress() {
    return Addresses.socketAddress(local);
  }

  /** Closes the sockets. {@link ServalEndpoint#close} breaks off the flows before. */
  @Override
  public void close() {
    locals.close();
  }
}
