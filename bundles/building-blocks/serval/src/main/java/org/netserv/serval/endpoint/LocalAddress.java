// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.netserv.serval.Endpoint;

/** A UDP socket on one local address. An error of the network is a lost packet. */
final class LocalAddress {
  private final DatagramChannel channel;
  private final Endpoint address;
  private InetSocketAddress lastSender;
  private Endpoint lastFrom;
  private Endpoint lastTo;
  private InetSocketAddress lastReceiver;
  private long neededAt; // the last time at which it was needed

  private LocalAddress(DatagramChannel channel, Endpoint address) {
    this.channel = channel;
    this.address = address;
  }

  /**
   * Opens the socket.
   *
   * @param known address by which others reach the socket; null for the one that it is bound to
   */
  static LocalAddress open(InetSocketAddress local, Endpoint known, Selector selector)
      throws IOException {
    boolean four = local.getAddress() instanceof Inet4Address;
    DatagramChannel channel =
        DatagramChannel.open(four ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    try {
      channel.bind(local).configureBlocking(false).register(selector, SelectionKey.OP_READ);
      Endpoint bound = Addresses.endpoint((InetSocketAddress) channel.getLocalAddress());
      return new LocalAddress(channel, known == null ? bound : known);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  Endpoint address() {
    return address;
  }

  /** Notes that the address is needed now. */
  void needed(long now) {
    neededAt = now;
  }

  long neededAt() {
    return neededAt;
  }

  /** Receives a packet. Returns its sender, null if nothing has come. */
  Endpoint receive(ByteBuffer bytes) {
    try {
      InetSocketAddress sender = (InetSocketAddress) channel.receive(bytes);
      if (sender != null && !sender.equals(lastSender)) {
        lastSender = sender;
        lastFrom = Addresses.endpoint(sender);
      }
      return sender == null ? null : lastFrom;
    } catch (IOException e) {
      return null;
    }
  }

  boolean send(ByteBuffer packet, Endpoint to) {
    if (!to.equals(lastTo)) {
      lastTo = to;
      lastReceiver = Addresses.socketAddress(to);
    }
    try {
      return to.port() != 0 && channel.send(packet, lastReceiver) > 0;
    } catch (IOException | RuntimeException e) {
      return false; // unreachable, or of the other family
    }
  }

  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      lastSender = null; // closed all the same
    }
  }
}
