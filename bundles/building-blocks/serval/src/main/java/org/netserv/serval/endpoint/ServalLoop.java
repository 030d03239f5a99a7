// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.Consumer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.serval.Endpoint;

/**
 * An endpoint with its UDP sockets, for a loop of the caller. All calls are on the thread of that
 * loop, but {@link #wakeup} and {@link #localAddress}.
 *
 * <pre>
 *   loop.select(most);            // until a packet comes, something is due, or wakeup()
 *   loop.receive(failure -> ...);
 *   ...                           // calls of the program
 *   loop.send(failure -> ...);
 * </pre>
 *
 * <p>Where the block {@code io} has natives, packets come and leave in batches of one system call.
 */
public final class ServalLoop implements Closeable {
  /**
   * Messages of the largest size that are received at a time. With natives the kernel gathers up to
   * 64 packets into each, and without natives short packets share the memory.
   */
  private static final int ROOMS = 16;

  private static final long START = System.nanoTime();

  private final UdpSelector selector;
  private final LocalAddresses locals;
  private final ServalEndpoint endpoint;
  private final DatagramBatch batch =
      new DatagramBatch(DatagramBatch.CAPACITY_MOST, ROOMS, DatagramBatch.SIZE_MOST);
  private final ByteBuffer bytes = batch.bytes().duplicate(); // with bounds of its own
  private final Senders senders = new Senders();
  private final Rush rush = new Rush();
  private int received;
  private long time = milliseconds();
  private volatile Endpoint local;

  private ServalLoop(UdpSelector selector, LocalAddresses locals, EndpointSettings settings) {
    this.selector = selector;
    this.locals = locals;
    local = locals.newest();
    endpoint = new ServalEndpoint(settings, locals, local, new SecureRandom(), () -> time);
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
    UdpSelector selector = UdpSelector.open();
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
   * Waits until a packet comes, the endpoint has something to do, or somebody wakes the loop up. In
   * a rush of packets other threads of the processor run first, so that more packets come together.
   *
   * @param most milliseconds, 0 to return at once
   */
  @SuppressWarnings("ThreadPriorityCheck") // the cost of a packet depends on it, nothing else
  public void select(long most) throws IOException {
    if (most > 0 && rush.isOn() && endpoint.dueAt() > time) {
      Thread.yield();
    }
    long due = endpoint.dueAt();
    time = milliseconds();
    int sleep = (int) (due <= time ? 0 : Math.min(most, due - time));
    received = selector.receive(batch, sleep);
    time = milliseconds();
    rush.came(received, time);
  }

  /** Ends a {@link #select}, or the next one. Any thread may call this. */
  public void wakeup() {
    selector.wakeup();
  }

  /**
   * Takes the packets that have come.
   *
   * @param failures takes the exceptions of handlers, after which the loop goes on
   */
  public void receive(Consumer<RuntimeException> failures) {
    for (int i = 0; i < received; i++) {
      try {
        receive(i);
      } catch (RuntimeException e) {
        failures.accept(e);
      }
    }
    received = 0;
  }

  private void receive(int entry) {
    Endpoint to = locals.of(batch.key(entry));
    if (to != null) {
      int start = batch.start(entry);
      bytes.clear().position(start).limit(start + batch.length(entry));
      endpoint.receive(bytes, senders.of(batch, entry), to);
    }
  }

  /**
   * Does all that is due, and sends all packets of this round together.
   *
   * @param failures takes the exceptions of handlers, after which the loop goes on
   */
  public void send(Consumer<RuntimeException> failures) {
    time = milliseconds();
    try {
      endpoint.due();
    } catch (RuntimeException e) {
      failures.accept(e);
    }
    for (int refused = locals.flush(); refused > 0; refused--) {
      endpoint.verdicts().count(EndpointVerdict.REFUSED);
    }
    locals.retain(endpoint::uses, time);
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
