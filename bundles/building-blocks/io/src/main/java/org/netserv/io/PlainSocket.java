// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Objects;
import java.util.Set;

/**
 * A socket without natives: one system call and some objects for each datagram. It does not know
 * the address to which a datagram came, nor TOS, TTL and ICMP errors.
 */
final class PlainSocket extends UdpSocket {
  private static final int PAYLOAD_MOST = 65_507; // of IPv4; IPv6 carries 20 bytes more
  private static final int NO_SUCH_DESCRIPTOR = 9; // EBADF
  private static final int INVALID = 22; // EINVAL
  private static final int TOO_LONG = 90; // EMSGSIZE
  private static final int NO_SUCH_FAMILY = 97; // EAFNOSUPPORT
  private static final int INPUT_OUTPUT = 5; // EIO: the system's reason is only words here

  private final DatagramChannel channel;
  private SelectionKey selected; // in a selector
  private InetSocketAddress lastSource;
  private long sourceHigh;
  private long sourceLow;
  private InetSocketAddress lastDestination;
  private long lastHigh;
  private long lastLow;

  private PlainSocket(DatagramChannel channel) {
    this.channel = channel;
  }

  static PlainSocket open(InetSocketAddress local, Set<Option> options) throws IOException {
    InetAddress address = Addresses.resolved(local);
    DatagramChannel channel =
        DatagramChannel.open(
            address instanceof Inet4Address
                ? StandardProtocolFamily.INET
                : StandardProtocolFamily.INET6);
    try {
      channel.configureBlocking(false);
      if (options.contains(Option.SHARED)) {
        channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      }
      channel.bind(local);
      return new PlainSocket(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  static int sendAll(DatagramBatch batch, int first, int count) throws IOException {
    int sent = 0;
    for (int i = first; i < first + count; i++) {
      PlainSocket socket = batch.socket(i);
      if (socket == null) {
        continue;
      }
      if (!socket.channel.isOpen()) {
        batch.error(i, NO_SUCH_DESCRIPTOR);
      } else if (!socket.send(batch, i)) {
        batch.error(i, DatagramBatch.FULL);
      } else if (batch.error(i) == 0) {
        sent++;
      }
    }
    return sent;
  }

  @Override
  public boolean isBatched() {
    return false;
  }

  @Override
  public boolean isCutting() {
    return false;
  }

  @Override
  public InetSocketAddress localAddress() throws IOException {
    return (InetSocketAddress) channel.getLocalAddress();
  }

  @Override
  public boolean gather(boolean on) {
    return false;
  }

  @Override
  public boolean errors(boolean on) {
    return false;
  }

  @Override
  public boolean traffic(boolean on) {
    return false;
  }

  @Override
  public boolean fragment(boolean on) {
    return false;
  }

  @Override
  public int receiveBuffer(int bytes) throws IOException {
    channel.setOption(StandardSocketOptions.SO_RCVBUF, bytes);
    return channel.getOption(StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public int sendBuffer(int bytes) throws IOException {
    channel.setOption(StandardSocketOptions.SO_SNDBUF, bytes);
    return channel.getOption(StandardSocketOptions.SO_SNDBUF);
  }

  @Override
  public int receive(DatagramBatch batch) throws IOException {
    int count = 0;
    int end = batch.shareEnd(0, 1);
    while (batch.hasPlace(count, end) && receive(batch, count)) {
      count++;
    }
    return count;
  }

  /** Receives one datagram into an entry that has a place. Returns false if none waits. */
  boolean receive(DatagramBatch batch, int entry) throws IOException {
    ByteBuffer spare = batch.spare();
    if (!(channel.receive(spare) instanceof InetSocketAddress source)) {
      return false;
    }
    if (!source.equals(lastSource)) {
      lastSource = source;
      sourceHigh = Addresses.high(source.getAddress());
      sourceLow = Addresses.low(source.getAddress());
    }
    int length = Math.min(spare.position(), batch.size());
    boolean truncated = spare.position() > length;
    int start = batch.place(entry);
    batch.bytes().put(start, spare, 0, length);
    batch.received(entry, this, start, length, truncated, sourceHigh, sourceLow, source.getPort());
    return true;
  }

  @Override
  public int receiveErrors(DatagramBatch batch) {
    return 0;
  }

  @Override
  public int send(DatagramBatch batch, int first, int count) throws IOException {
    Objects.checkFromIndexSize(first, count, batch.capacity());
    for (int done = 0; done < count; done++) {
      if (!send(batch, first + done)) {
        return done;
      }
    }
    return count;
  }

  /** Returns false if the socket takes no more now. */
  private boolean send(DatagramBatch batch, int entry) throws IOException {
    int start = batch.start(entry);
    int length = batch.length(entry);
    if (start < batch.room(0) || length < 0 || length > batch.bytes().capacity() - start) {
      batch.error(entry, INVALID); // as after bytes were written into entries
      return true;
    }
    ByteBuffer datagram = batch.view().clear().position(start).limit(start + length);
    int error = 0;
    try {
      if (channel.send(datagram, destination(batch, entry)) < length) {
        return false;
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (UnsupportedAddressTypeException e) {
      error = NO_SUCH_FAMILY;
    } catch (IOException e) {
      error = length > PAYLOAD_MOST ? TOO_LONG : INPUT_OUTPUT;
    }
    batch.error(entry, error);
    return true;
  }

  /** Returns the destination of an entry. Neighbours toward one destination have one object. */
  private InetSocketAddress destination(DatagramBatch batch, int entry) throws IOException {
    long high = batch.addressHigh(entry);
    long low = batch.addressLow(entry);
    int port = batch.port(entry);
    InetSocketAddress last = lastDestination;
    if (last == null || last.getPort() != port || low != lastLow || high != lastHigh) {
      last = new InetSocketAddress(Addresses.of(high, low), port);
      lastHigh = high;
      lastLow = low;
      lastDestination = last;
    }
    return last;
  }

  DatagramChannel channel() {
    return channel;
  }

  void selected(SelectionKey key) {
    selected = key;
  }

  SelectionKey selected() {
    return selected;
  }

  /** Returns the key that the selector was given, or 0. */
  long key() {
    return selected == null ? 0 : NioSelector.key(selected);
  }

  @Override
  long handle() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
