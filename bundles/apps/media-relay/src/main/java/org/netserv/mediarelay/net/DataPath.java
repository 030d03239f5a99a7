// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.netserv.io.DatagramBatch;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.Bucket;
import org.netserv.mediarelay.core.Channel;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.PeerRules;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;
import org.netserv.stun.ChannelData;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunError;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;

/**
 * The way of data: ChannelData and Send indications of clients to peers, datagrams of peers to
 * clients. A datagram stays where it was received; its entry gets another destination and another
 * part of the bytes. Nothing is allocated.
 *
 * <pre>
 *   client -> 5-tuple -> allocation -> channel or permission -> bandwidth -> relayed socket -> peer
 *   peer -> relayed socket -> allocation -> permission -> channel? -> bandwidth -> client
 * </pre>
 */
final class DataPath {
  private static final int PADDING_MOST = 3;

  private final PeerSockets peers;
  private final PeerRules rules;
  private final RelayedRange[] relayed; // of IPv4 and IPv6, null = none
  private final Bucket total;
  private final Tally<Why> tally;
  private final Indication indication;
  private final StunMessage message = new StunMessage();
  private final StunAddress address = new StunAddress();
  private DatagramBatch batch;
  private int entry;
  private ByteBuffer bytes;
  private int floor;

  DataPath(
      PeerSockets peers,
      PeerRules rules,
      RelayedRange[] relayed,
      Bucket total,
      Tally<Why> tally,
      RandomGenerator random) {
    this.peers = peers;
    this.rules = rules;
    this.relayed = relayed.clone();
    this.total = total;
    this.tally = tally;
    indication = new Indication(random);
  }

  /**
   * Names the entry whose datagram is to be relayed. Its data may be anywhere in the batch.
   *
   * @param lowest index of the first byte that may be overwritten
   */
  void entry(DatagramBatch of, int number, int lowest) {
    batch = of;
    entry = number;
    bytes = of.bytes();
    floor = lowest;
  }

  /** Tells whether a message is a Send indication. */
  static boolean isSend(ByteBuffer bytes, int start, int length) {
    return length >= StunMessage.HEADER
        && bytes.getShort(start) == StunMethod.SEND.type(StunClass.INDICATION);
  }

  // ---- from clients

  /**
   * Relays ChannelData of an allocation's client (RFC 8656, 12.6).
   *
   * @param of null = the client has no allocation
   * @return true if the entry is to be sent
   */
  boolean channelData(Allocation of, int start, int length, long now) {
    if (of == null || !of.isLive()) {
      return drop(Why.UNKNOWN_CLIENT);
    }
    int count = length < ChannelData.HEADER ? -1 : bytes.getShort(start + 2) & 0xffff;
    if (count < 0 || count > length - ChannelData.HEADER) {
      return drop(Why.BAD_CHANNEL_DATA);
    }
    Channel channel = of.channel(bytes.getShort(start) & 0xffff, now);
    if (channel == null) {
      return drop(Why.NO_CHANNEL);
    }
    return toPeer(
        of, channel.high(), channel.low(), channel.port(), start + ChannelData.HEADER, count, now);
  }

  /**
   * Relays a Send indication (RFC 8656, 11.2).
   *
   * @param of null = the client has no allocation
   * @return true if the entry is to be sent
   */
  boolean send(Allocation of, int start, int length, long now) {
    if (of == null || !of.isLive()) {
      return drop(Why.UNKNOWN_CLIENT);
    }
    if (message.reset(bytes, start, start + length) != StunError.OK) {
      return drop(Why.MALFORMED);
    }
    int data = message.find(StunAttribute.DATA);
    if (of.isTcp() || data < 0 || !address.get(message, StunAttribute.XOR_PEER_ADDRESS)) {
      return drop(Why.BAD_INDICATION);
    }
    if (!of.allows(address.high(), address.low(), now)) {
      return drop(Why.NO_PERMISSION);
    }
    Why why = rules.refusal(address.high(), address.low(), address.port());
    if (why != null) {
      return drop(why);
    }
    boolean whole = message.has(StunAttribute.DONT_FRAGMENT);
    if (whole && !peers.canForbidFragments()) {
      return drop(Why.BAD_INDICATION);
    }
    int from = message.valueStart(data);
    boolean sent =
        toPeer(of, address.high(), address.low(), address.port(), from, message.length(data), now);
    if (sent && whole) {
      batch.setWhole(entry);
    }
    return sent;
  }

  private boolean toPeer(
      Allocation of, long high, long low, int port, int start, int count, long now) {
    PeerSocket socket = (PeerSocket) of.socket(Ip.family(high, low));
    if (socket == null) {
      return drop(Why.PEER_FAMILY);
    }
    if (!mayRelay(of, count, now)) {
      return false;
    }
    of.sentToPeer(count);
    if (rules.isRelayed(high, low)) {
      return toNeighbour(socket, port, start, count, now);
    }
    batch.to(entry, high, low, port);
    batch.via(entry, socket.socket());
    batch.part(entry, start, count);
    tally.count(Why.TO_PEER);
    return true;
  }

  /** Gives data to another allocation of this relay, as if it had come from the network. */
  private boolean toNeighbour(PeerSocket from, int port, int start, int count, long now) {
    PeerSocket to = peers.at(from.family(), port);
    RelayedRange source = relayed[from.family() == 4 ? 0 : 1];
    if (to == null || source == null) {
      return drop(Why.HAIRPIN_NOBODY);
    }
    tally.count(Why.TO_NEIGHBOUR);
    return toClient(to.owner(), source.high(), source.low(), from.port(), start, count, now);
  }

  // ---- from peers

  /**
   * Relays a peer's datagram (RFC 8656, 11.3 and 12.7).
   *
   * @return true if the entry is to be sent
   */
  boolean fromPeer(PeerSocket at, int start, int count, long now) {
    return toClient(
        at.owner(),
        batch.addressHigh(entry),
        batch.addressLow(entry),
        batch.port(entry),
        start,
        count,
        now);
  }

  private boolean toClient(
      Allocation of, long high, long low, int port, int start, int count, long now) {
    if (!of.isLive() || !of.allows(high, low, now)) {
      return drop(Why.PEER_NO_PERMISSION);
    }
    if (!mayRelay(of, count, now)) {
      return false;
    }
    int at = withHeadroom(start, count);
    if (at < 0) {
      return drop(Why.TOO_LONG);
    }
    Channel channel = of.channelTo(high, low, port, now);
    if (channel != null) {
      indication.channelData(bytes, at, count, channel.number());
    } else {
      indication.data(bytes, at, count, Ip.isV4(high, low), high, low, port);
    }
    of.sentToClient(count);
    return deliver(of.client());
  }

  private boolean deliver(Client client) {
    if (client.transport() == Transport.UDP) {
      batch.to(entry, client.high(), client.low(), client.port());
      batch.via(entry, ((ServerPort) client.way()).socket());
      batch.part(entry, indication.start(), indication.length());
      tally.count(Why.TO_CLIENT);
      return true;
    }
    boolean sent = client.way().send(client, bytes, indication.start(), indication.length());
    return drop(sent ? Why.TO_CLIENT : Why.CLIENT_SLOW);
  }

  /**
   * Makes place for the longest header. Data at the front of the memory, or right behind a long
   * neighbour, moves back in its room.
   *
   * @return the index of the data, -1 if its room is too small
   */
  private int withHeadroom(int start, int count) {
    int to = start + Math.max(0, Indication.HEADROOM - (start - floor));
    if (to + count + PADDING_MOST > batch.room(entry) + batch.size()) {
      return -1;
    }
    if (to > start) {
      bytes.put(to, bytes, start, count);
    }
    return to;
  }

  // ---- both ways

  private boolean mayRelay(Allocation of, int count, long now) {
    if (!of.mayRelay(count, now)) {
      return drop(Why.CLIENT_RATE);
    }
    return total.take(count, now) || drop(Why.TOTAL_RATE);
  }

  private boolean drop(Why why) {
    tally.count(why);
    return false;
  }
}
