// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;

/**
 * A UDP socket that receives and sends {@link DatagramBatch batches} and never blocks. In a
 * container a batch is one system call, and neighbours of equal length toward one destination are
 * one packet until the kernel cuts it. Anywhere else the same methods work by the JDK's
 * DatagramChannel, one datagram a call. {@link #isBatched} tells which.
 *
 * <pre>
 *   UdpSocket socket = UdpSocket.bind(new InetSocketAddress("::", 3478));
 *   UdpSelector selector = UdpSelector.open();
 *   selector.add(socket, 0);
 *   DatagramBatch batch = new DatagramBatch(64, 2048);
 *   for (;;) {
 *     int count = selector.receive(batch, -1);
 *     ... batch.to(i, high, low, port) for each that goes elsewhere
 *     UdpSocket.sendEach(batch, 0, count);
 *   }
 * </pre>
 *
 * <p><b>Errors.</b> ICMP messages never make a call fail. {@link #receiveErrors} has them, for a
 * socket with {@link #errors}. <b>Threads.</b> Any, but one at a time for a batch. <b>Lifetime.</b>
 * Until {@link #close}, or until the socket is collected.
 */
public abstract sealed class UdpSocket implements Closeable permits BatchedSocket, PlainSocket {
  /** A host has registered the natives. */
  static final boolean NATIVES = Natives.present();

  UdpSocket() {}

  /** Choices that are made before a socket has its address. */
  public enum Option {
    /** Several sockets may have this port, and the system spreads the senders over them. */
    SHARED,
    /**
     * A socket on the unspecified IPv6 address leaves IPv4 to another socket of the same port. Has
     * no effect without natives.
     */
    ONE_FAMILY
  }

  /**
   * Opens a socket on a local address. An unspecified IPv6 address ({@code ::}) receives from both
   * families.
   *
   * @param local with port 0 for any free port
   * @throws java.net.BindException if the port is taken or the policy does not allow it
   */
  public static UdpSocket bind(InetSocketAddress local, Option... options) throws IOException {
    Set<Option> chosen = Set.of(options);
    return NATIVES ? BatchedSocket.open(local, chosen) : PlainSocket.open(local, chosen);
  }

  /**
   * Sends the datagrams of {@code count} entries from {@code first}, each by the socket that
   * received it or that {@link DatagramBatch#via} has set. The datagrams of one socket go together
   * and in their order, even if those of other sockets lie between them. An entry that has no
   * socket is left out. A refused datagram does not stop the next ones: {@link DatagramBatch#error}
   * has its reason. That is {@link DatagramBatch#FULL} for the rest of the datagrams of a socket
   * that takes no more now.
   *
   * @return the number of entries that were sent
   * @throws IndexOutOfBoundsException if these are no entries
   */
  public static int sendEach(DatagramBatch batch, int first, int count) throws IOException {
    Objects.checkFromIndexSize(first, count, batch.capacity());
    return NATIVES
        ? BatchedSocket.sendAll(batch, first, count)
        : PlainSocket.sendAll(batch, first, count);
  }

  /** Tells whether a batch is one system call. */
  public abstract boolean isBatched();

  /**
   * Tells whether the kernel cuts large messages into datagrams ({@code UDP_SEGMENT}). A socket
   * turns to false, and sends datagrams one by one, when the kernel or the device has refused.
   */
  public abstract boolean isCutting();

  /** Returns the address and port to which the socket is bound. */
  public abstract InetSocketAddress localAddress() throws IOException;

  /**
   * Lets the kernel gather datagrams of equal length that come in a row from one sender ({@code
   * UDP_GRO}), or lets it no longer. Each is an entry of its own, and they share a room. A batch
   * for such a socket has at least 128 entries, and should have rooms of 65,535 bytes.
   *
   * @return false if this socket cannot
   */
  public abstract boolean gather(boolean on) throws IOException;

  /**
   * Keeps ICMP errors about sent datagrams for {@link #receiveErrors}, or no longer.
   *
   * @return false if this socket cannot
   */
  public abstract boolean errors(boolean on) throws IOException;

  /**
   * Tells TOS and TTL of received packets, or no longer.
   *
   * @return false if this socket cannot
   */
  public abstract boolean traffic(boolean on) throws IOException;

  /**
   * Sends IPv4 packets without the bit DF, so that routers may cut them, or lets the system choose.
   *
   * @return false if this socket cannot
   */
  public abstract boolean fragment(boolean on) throws IOException;

  /** Asks for a receive buffer. Returns the bytes that the system has granted. */
  public abstract int receiveBuffer(int bytes) throws IOException;

  /** Asks for a send buffer. Returns the bytes that the system has granted. */
  public abstract int sendBuffer(int bytes) throws IOException;

  /**
   * Receives what has come. Fills the first entries of the batch.
   *
   * @return their number, 0 = nothing has come
   */
  public abstract int receive(DatagramBatch batch) throws IOException;

  /**
   * Receives the errors that have come. Each entry has the destination of a datagram that did not
   * arrive, the beginning of its bytes as far as the error has them, and the reason.
   *
   * @return their number, 0 = none has come
   */
  public abstract int receiveErrors(DatagramBatch batch) throws IOException;

  /**
   * Sends the datagrams of {@code count} entries from {@code first}, in order, by this socket. A
   * refused datagram does not stop the next ones: {@link DatagramBatch#error} has its reason.
   *
   * @return the number of entries that are done; fewer than {@code count} = the socket takes no
   *     more now
   * @throws IndexOutOfBoundsException if these are no entries
   */
  public abstract int send(DatagramBatch batch, int first, int count) throws IOException;

  abstract long handle();
}
