// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.Set;

/**
 * A socket by the host's natives. The host knows which handles are open, and closes a socket only
 * when no call uses it.
 */
final class BatchedSocket extends UdpSocket {
  static final Cleaner CLEANER = Cleaner.create();

  private static final int NO_ACCESS = 13; // EACCES
  private static final int NO_SUCH_DESCRIPTOR = 9; // EBADF
  private static final int IN_USE = 98; // EADDRINUSE
  private static final int NOT_AVAILABLE = 99; // EADDRNOTAVAIL

  private final long handle;
  private final Cleaner.Cleanable cleanable;

  private BatchedSocket(long handle) {
    this.handle = handle;
    cleanable = CLEANER.register(this, () -> Natives.close(handle));
  }

  static BatchedSocket open(InetSocketAddress local, Set<Option> options) throws IOException {
    InetAddress address = Addresses.resolved(local);
    int scope = address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    long handle =
        Natives.open(
            Addresses.high(address),
            Addresses.low(address),
            scope,
            local.getPort(),
            options.contains(Option.SHARED),
            options.contains(Option.ONE_FAMILY));
    if (handle < 0) {
      throw refusal(local, (int) -handle);
    }
    return new BatchedSocket(handle);
  }

  private static IOException refusal(InetSocketAddress local, int error) {
    return switch (error) {
      case NO_ACCESS -> new BindException(local + ": permission denied");
      case IN_USE -> new BindException(local + ": address already in use");
      case NOT_AVAILABLE -> new BindException(local + ": no address of this node");
      default -> new SocketException(local + ": error " + error);
    };
  }

  /** Returns a result that is not negative. Throws if the socket is closed, or of no use. */
  static int checked(String call, int result) throws IOException {
    if (result >= 0) {
      return result;
    }
    if (result == -NO_SUCH_DESCRIPTOR) {
      throw new ClosedChannelException();
    }
    throw new SocketException(call + ": error " + -result);
  }

  static int sendAll(DatagramBatch batch, int first, int count) throws IOException {
    return checked(
        "send",
        Natives.sendEach(
            batch.memory(), batch.capacity(), batch.rooms(), batch.size(), first, count));
  }

  @Override
  public boolean isBatched() {
    return true;
  }

  @Override
  public boolean isCutting() {
    return Natives.cuts(handle) == 1;
  }

  @Override
  public InetSocketAddress localAddress() throws IOException {
    long[] halves = new long[2];
    int port = checked("local address", Natives.local(handle, halves));
    return new InetSocketAddress(Addresses.of(halves[0], halves[1]), port);
  }

  private boolean set(int option, boolean on) throws IOException {
    int result = Natives.set(handle, option, on ? 1 : 0);
    if (result == -NO_SUCH_DESCRIPTOR) {
      throw new ClosedChannelException();
    }
    return result >= 0;
  }

  @Override
  public boolean gather(boolean on) throws IOException {
    return set(Natives.GATHER, on);
  }

  @Override
  public boolean errors(boolean on) throws IOException {
    return set(Natives.ERRORS, on);
  }

  @Override
  public boolean traffic(boolean on) throws IOException {
    return set(Natives.TRAFFIC, on);
  }

  @Override
  public boolean fragment(boolean on) throws IOException {
    return set(Natives.FRAGMENT, on);
  }

  @Override
  public int receiveBuffer(int bytes) throws IOException {
    return checked("receive buffer", Natives.set(handle, Natives.RECEIVE_BUFFER, bytes));
  }

  @Override
  public int sendBuffer(int bytes) throws IOException {
    return checked("send buffer", Natives.set(handle, Natives.SEND_BUFFER, bytes));
  }

  @Override
  public int receive(DatagramBatch batch) throws IOException {
    return checked(
        "receive",
        Natives.receive(handle, batch.memory(), batch.capacity(), batch.rooms(), batch.size()));
  }

  @Override
  public int receiveErrors(DatagramBatch batch) throws IOException {
    return checked(
        "receive errors",
        Natives.errors(handle, batch.memory(), batch.capacity(), batch.rooms(), batch.size()));
  }

  @Override
  public int send(DatagramBatch batch, int first, int count) throws IOException {
    Objects.checkFromIndexSize(first, count, batch.capacity());
    return checked(
        "send",
        Natives.send(
            handle, batch.memory(), batch.capacity(), batch.rooms(), batch.size(), first, count));
  }

  @Override
  long handle() {
    return handle;
  }

  @Override
  public void close() {
    cleanable.clean();
  }
}
