// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.io.Closeable;
import java.io.IOException;

/**
 * Waits for thousands of {@link UdpSocket sockets} and receives from all that have datagrams, in
 * one call and without an object for each.
 *
 * <pre>
 *   int count = selector.receive(batch, 1000);
 *   for (int i = 0; i &lt; count; i++) {
 *     ... batch.key(i) tells the socket
 *   }
 *   for (int i = 0; i &lt; selector.events(); i++) {
 *     ... selector.eventKey(i) has room again, or errors
 *   }
 * </pre>
 *
 * <p><b>Threads.</b> One thread calls {@link #receive} and reads the events. Any thread may call
 * the other methods at any time. A socket that is closed leaves its selector by itself.
 */
public abstract sealed class UdpSelector implements Closeable permits EpollSelector, NioSelector {
  UdpSelector() {}

  public static UdpSelector open() throws IOException {
    return UdpSocket.NATIVES ? EpollSelector.create() : NioSelector.create();
  }

  /**
   * Waits for datagrams of a socket, too. A socket belongs to one selector.
   *
   * @param key comes back with datagrams and events of this socket
   * @throws java.nio.channels.ClosedChannelException if the socket or the selector is closed
   * @throws IOException if the socket has a selector, or the system allows no more
   */
  public abstract void add(UdpSocket socket, long key) throws IOException;

  /**
   * Waits for what may be read, for what may be written, for both or for neither. A new socket has
   * {@code true, false}.
   */
  public abstract void interest(UdpSocket socket, boolean read, boolean write) throws IOException;

  /** Waits for a socket no longer. A socket that is not here stays as it is. */
  public abstract void remove(UdpSocket socket) throws IOException;

  /** Lets the thread in {@link #receive}, or the next one there, return at once. */
  public abstract void wakeup();

  /**
   * Waits until something has come or the time is over, and receives. Each socket that has
   * datagrams gets its share of the batch, so a busy one does not keep others waiting.
   *
   * @param millis to wait at most; 0 = only look, -1 = for ever
   * @return number of datagrams in the batch; it may be 0 before the time is over
   * @throws java.nio.channels.ClosedSelectorException if the selector is closed
   */
  public abstract int receive(DatagramBatch batch, int millis) throws IOException;

  /** Returns the number of events that the last {@link #receive} has found besides datagrams. */
  public abstract int events();

  /** Returns the key of the event's socket. */
  public abstract long eventKey(int event);

  /** Tells whether the event's socket takes datagrams again. */
  public abstract boolean isWritable(int event);

  /**
   * Tells whether {@link UdpSocket#receiveErrors} has something for the event's socket. The event
   * comes again until it has been called.
   */
  public abstract boolean hasErrors(int event);
}
