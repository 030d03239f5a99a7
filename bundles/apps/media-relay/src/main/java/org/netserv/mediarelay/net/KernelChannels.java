// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.List;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.Allocations;
import org.netserv.mediarelay.core.Channel;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.PeerRules;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;
import org.netserv.packet.Relays;
import org.netserv.packet.Tally;

/**
 * Gives bound channels of UDP clients to the node's kernel, and takes their counts back. The kernel
 * may refuse each or end it at any time; their packets then come to the sockets as before.
 *
 * <pre>
 *   bound, permitted --> asked --> in the kernel --> ended there --> asked again after 2, 4 ... 64 s
 *                                       |                                 |
 *                                       +---- unbound, or no time left ---+--> forgotten
 * </pre>
 *
 * <p>An entry lives as long as the permission of its peer, and not longer than the channel. So an
 * entry that nobody takes back ends by itself, too.
 */
final class KernelChannels implements Allocations.ChannelWatch {
  private static final int LOOKS_FIRST = 2;
  private static final int LOOKS_MOST = 64;
  private static final long SECOND = 1_000_000_000L;
  private static final int IPV4_TAIL = 4;

  private final Relays relays;
  private final List<RelayedRange> servers;
  private final RelayedRange[] relayed;
  private final PeerRules rules;
  private final Tally<Why> tally;
  private final Loop loop;
  private final InetAddress[] serverAddresses;
  private final InetAddress[] relayedAddresses; // of IPv4 and IPv6, null = none
  private final IdentityHashMap<Channel, Entry> entries = new IdentityHashMap<>();

  /** A channel in the kernel, with the counts that its allocation knows already. */
  private static final class Entry {
    private final Allocation of;
    private final Relay relay;
    private long packetsToPeer;
    private long bytesToPeer;
    private long packetsToClient;
    private long bytesToClient;
    private int looks = LOOKS_FIRST; // until it is asked for again
    private int interval = LOOKS_FIRST;

    private Entry(Allocation of, Relay relay) {
      this.of = of;
      this.relay = relay;
    }

    /** Tells whether the kernel, which has not taken it or has ended it, is to be asked again. */
    private boolean isDue() {
      if (relay.state() == Relay.State.ACTIVE) {
        looks = LOOKS_FIRST;
        interval = LOOKS_FIRST;
        return false;
      }
      if (--looks > 0) {
        return false;
      }
      interval = Math.min(LOOKS_MOST, 2 * interval);
      looks = interval;
      return true;
    }

    private void settle() {
      long toPeer = relay.packetsToPeer();
      long toPeerBytes = relay.bytesToPeer();
      long toClient = relay.packetsToClient();
      long toClientBytes = relay.bytesToClient();
      of.relayedElsewhere(
          toPeer - packetsToPeer,
          toPeerBytes - bytesToPeer,
          toClient - packetsToClient,
          toClientBytes - bytesToClient);
      packetsToPeer = toPeer;
      bytesToPeer = toPeerBytes;
      packetsToClient = toClient;
      bytesToClient = toClientBytes;
    }
  }

  /**
   * @param servers addresses of the node at which UDP clients reach the relay, with their ports
   * @param relayed relayed addresses of IPv4 and IPv6, null = none
   */
  KernelChannels(
      Relays relays,
      List<RelayedRange> servers,
      RelayedRange[] relayed,
      PeerRules rules,
      Tally<Why> tally,
      Loop loop) {
    this.relays = relays;
    this.servers = List.copyOf(servers);
    this.relayed = relayed.clone();
    this.rules = rules;
    this.tally = tally;
    this.loop = loop;
    serverAddresses = this.servers.stream().map(KernelChannels::inet).toArray(InetAddress[]::new);
    relayedAddresses = new InetAddress[relayed.length];
    for (int i = 0; i < relayed.length; i++) {
      relayedAddresses[i] = relayed[i] == null ? null : inet(relayed[i]);
    }
  }

  private static InetAddress inet(RelayedRange range) {
    return inet(range.high(), range.low());
  }

  /** Begins to take the counts of all entries, once a second. With the lock held. */
  void start() {
    loop.at(loop.nanoTime() + SECOND, this::look);
  }

  private void look() {
    entries.entrySet().removeIf(entry -> look(entry.getKey(), entry.getValue()));
    start();
  }

  /** Takes the counts of an entry. Tells whether its time is over, and it has been given up. */
  private boolean look(Channel channel, Entry entry) {
    entry.settle();
    if (!entry.isDue()) {
      return false;
    }
    int seconds = seconds(entry.of, channel);
    if (seconds > 0) {
      entry.relay.refresh(seconds);
      return false;
    }
    entry.relay.unbind();
    return true;
  }

  @Override
  public void bound(Allocation of, Channel channel) {
    int seconds = seconds(of, channel);
    if (seconds == 0) {
      return; // moved, while the peer's permission was over already
    }
    Entry there = entries.get(channel);
    if (there != null) {
      there.relay.refresh(seconds);
      return;
    }
    RelayEntry entry = relays.available() ? entry(of, channel) : null;
    Relay relay = entry == null ? null : relays.bind(entry, seconds);
    if (relay != null) {
      entries.put(channel, new Entry(of, relay));
      tally.count(Why.IN_KERNEL);
    }
  }

  /** Returns the seconds for which data of the channel may be relayed; 0 = less than one. */
  private int seconds(Allocation of, Channel channel) {
    return (int) (of.nanosLeft(channel, loop.nanoTime()) / SECOND);
  }

  @Override
  public void permitted(Allocation of, long high, long low) {
    of.eachChannel(
        channel -> {
          if (channel.high() == high && channel.low() == low) {
            bound(of, channel);
          }
        });
  }

  @Override
  public void unbound(Allocation of, Channel channel) {
    Entry entry = entries.remove(channel);
    if (entry != null) {
      entry.settle();
      entry.relay.unbind();
    }
  }

  /** Returns null if the kernel has no such entries. */
  private RelayEntry entry(Allocation of, Channel channel) {
    Client client = of.client();
    InetSocketAddress server = server(client);
    int family = Ip.family(channel.high(), channel.low());
    RelayedRange range = relayed[family == 4 ? 0 : 1];
    boolean relayable =
        client.transport() == Transport.UDP
            && channel.number() <= RelayEntry.CHANNEL_LAST
            && server != null
            && range != null
            && !rules.isRelayed(channel.high(), channel.low());
    if (!relayable) {
      return null;
    }
    return new RelayEntry(
        address(client.high(), client.low(), client.port()),
        server,
        channel.number(),
        new InetSocketAddress(relayedAddresses[family == 4 ? 0 : 1], of.port(family)),
        address(channel.high(), channel.low(), channel.port()));
  }

  /** Returns where the client has reached the relay; null if that is not certain. */
  private InetSocketAddress server(Client client) {
    InetSocketAddress found = null;
    for (int i = 0; i < serverAddresses.length; i++) {
      RelayedRange server = servers.get(i);
      boolean fits =
          server.family() == Ip.family(client.high(), client.low())
              && server.contains(client.serverPort());
      if (fits && found != null) {
        return null;
      }
      if (fits) {
        found = new InetSocketAddress(serverAddresses[i], client.serverPort());
      }
    }
    return found;
  }

  private static InetSocketAddress address(long high, long low, int port) {
    return new InetSocketAddress(inet(high, low), port);
  }

  private static InetAddress inet(long high, long low) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low);
    byte[] address = bytes.array();
    if (Ip.isV4(high, low)) {
      address = new byte[IPV4_TAIL];
      bytes.get(bytes.capacity() - IPV4_TAIL, address);
    }
    try {
      return InetAddress.getByAddress(address);
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // 4 or 16 bytes always are an address
    }
  }
}
