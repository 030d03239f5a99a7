// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.packet.Tally;
import org.netserv.stun.ConnectionId;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/**
 * TCP connections with peers (RFC 6062): Connect, ConnectionBind and ConnectionAttempt. A relayed
 * TCP address is a {@link RelayedSocket} that {@link #open} makes.
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
public final class PeerLinks implements PeerStreams.Heard {
  static final Set<StunAttribute> CONNECT_KNOWN = EnumSet.of(StunAttribute.XOR_PEER_ADDRESS);
  static final Set<StunAttribute> BIND_KNOWN = EnumSet.of(StunAttribute.CONNECTION_ID);

  /** Connections of one allocation at once. */
  static final int ALLOCATION_MOST = 64;

  /** Time for a client to bind a connection. */
  static final long BIND_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int INDICATION_MOST = 64;

  private final PeerStreams streams;
  private final PeerRules rules;
  private final Tally<Why> tally;
  private final RandomGenerator random;
  private final LongSupplier nanoTime;
  private final Map<Integer, PeerLink> links = new HashMap<>();
  private final Map<PeerStreams.PeerStream, PeerLink> byPeer = new HashMap<>();
  private final Map<PeerStreams.Listening, Allocation> ports = new HashMap<>();
  private final Expiry<PeerLink> expiry = new Expiry<>();
  private final StunWriter indication = new StunWriter();
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(INDICATION_MOST);
  private Answers answers = (request, link, why, now) -> {};

  /** Answers a request later. */
  interface Answers {
    /**
     * Answers a Connect request.
     *
     * @param why the error, null = success, with the link's id
     */
    void answer(SavedRequest request, PeerLink link, Why why, long now);
  }

  /**
   * Makes the empty set of connections.
   *
   * @param random makes ids and transaction ids
   * @param nanoTime {@link System#nanoTime} or a test's
   */
  public PeerLinks(
      PeerStreams streams,
      PeerRules rules,
      Tally<Why> tally,
      RandomGenerator random,
      LongSupplier nanoTime) {
    this.streams = streams;
    this.rules = rules;
    this.tally = tally;
    this.random = random;
    this.nanoTime = nanoTime;
  }

  void answers(Answers by) {
    answers = by;
  }

  int count() {
    return links.size();
  }

  // ---- relayed addresses

  /**
   * Listens on a relayed address of an allocation.
   *
   * @throws IOException if the port cannot be had
   */
  public RelayedSocket open(Allocation owner, int family, int port) throws IOException {
    PeerStreams.Listening at = streams.listen(family, port, this);
    ports.put(at, owner);
    return () -> {
      ports.remove(at);
      at.close();
      for (PeerLink link : of(owner)) {
        if (Ip.family(link.peer().high(), link.peer().low()) == family) {
          end(link);
        }
      }
    };
  }

  private List<PeerLink> of(Allocation owner) {
    List<PeerLink> found = new ArrayList<>();
    for (PeerLink link : links.values()) {
      if (link.of() == owner) {
        found.add(link);
      }
    }
    return found;
  }

  private void end(PeerLink link) {
    if (forget(link)) {
      link.peer().close();
    }
  }

  private boolean forget(PeerLink link) {
    expiry.remove(link);
    byPeer.remove(link.peer());
    return links.remove(link.id()) != null;
  }

  // ---- Connect

  /** Begins to connect. Returns why it is refused, null = the answer comes later. */
  Why connect(Exchange x) {
    if (!x.allocation.isTcp() || !x.address.get(x.request, StunAttribute.XOR_PEER_ADDRESS)) {
      return Why.BAD_REQUEST;
    }
    long high = x.address.high();
    long low = x.address.low();
    int port = x.address.port();
    PeerStreams.Listening from = port(x.allocation, Ip.family(high, low));
    if (from == null) {
      return Why.PEER_FAMILY;
    }
    Why why = rules.refusal(high, low, port);
    if (why != null) {
      return why;
    }
    List<PeerLink> others = of(x.allocation);
    if (others.stream().anyMatch(link -> link.isWith(high, low, port))) {
      return Why.CONNECTION_EXISTS;
    }
    if (others.size() >= ALLOCATION_MOST) {
      return Why.FULL;
    }
    try {
      add(x.allocation, streams.connect(from, high, low, port, this), new SavedRequest(x));
    } catch (IOException e) {
      return Why.CONNECTION_FAILED;
    }
    x.later = true;
    tally.count(Why.CONNECTING);
    return null;
  }

  private PeerStreams.Listening port(Allocation of, int family) {
    for (Map.Entry<PeerStreams.Listening, Allocation> port : ports.entrySet()) {
      if (port.getValue() == of && port.getKey().port() == of.port(family)) {
        return port.getKey();
      }
    }
    return null;
  }

  private PeerLink add(Allocation of, PeerStreams.PeerStream peer, SavedRequest request) {
    int id = random.nextInt();
    while (links.containsKey(id)) {
      id = random.nextInt();
    }
    PeerLink link = new PeerLink(id, of, peer, request);
    links.put(id, link);
    byPeer.put(peer, link);
    return link;
  }

  @Override
  public void connected(PeerStreams.PeerStream peer) {
    PeerLink link = byPeer.get(peer);
    if (link == null) {
      peer.close();
      return;
    }
    waits(link);
    tally.count(Why.CONNECTED);
    answers.answer(link.request(), link, null, nanoTime.getAsLong());
  }

  private void waits(PeerLink link) {
    link.waits(nanoTime.getAsLong() + BIND_NANOS);
    expiry.update(link);
  }

  @Override
  public void failed(PeerStreams.PeerStream peer, String reason) {
    PeerLink link = byPeer.get(peer);
    if (link != null) {
      forget(link);
      answers.answer(link.request(), link, Why.CONNECTION_FAILED, nanoTime.getAsLong());
    }
  }

  // ---- ConnectionAttempt

  @Override
  public void accepted(PeerStreams.Listening at, PeerStreams.PeerStream peer) {
    Allocation of = ports.get(at);
    if (of == null
        || !of.isLive()
        || !of.allows(peer.high(), peer.low(), nanoTime.getAsLong())
        || of(of).size() >= ALLOCATION_MOST) {
      tally.count(Why.PEER_NO_PERMISSION);
      peer.close();
      return;
    }
    PeerLink link = add(of, peer, null);
    waits(link);
    tally.count(Why.ACCEPTED);
    Client client = of.client();
    indication.begin(
        bytes,
        0,
        bytes.capacity(),
        StunMethod.CONNECTION_ATTEMPT,
        StunClass.INDICATION,
        random.nextInt(),
        random.nextLong());
    ConnectionId.put(indication, link.id());
    StunAddress.put(
        indication, StunAttribute.XOR_PEER_ADDRESS, peer.high(), peer.low(), peer.port());
    if (!client.way().send(client, bytes, indication.start(), indication.length())) {
      tally.count(Why.CLIENT_SLOW);
      end(link);
    }
  }

  // ---- ConnectionBind

  /** Returns the allocation that a data connection is for, null = none. */
  Allocation owner(StunMessage request) {
    PeerLink link = ConnectionId.isPresent(request) ? links.get(ConnectionId.get(request)) : null;
    return link == null ? null : link.of();
  }

  /** Takes a client's data connection. Returns why it is refused, null = see {@link #join}. */
  Why bind(Exchange x) {
    if (!x.client.transport().isStream()
        || x.allocation != null
        || !ConnectionId.isPresent(x.request)) {
      return Why.BAD_REQUEST;
    }
    PeerLink link = links.get(ConnectionId.get(x.request));
    if (link == null || link.state() != PeerLink.State.WAITING) {
      return Why.NO_CONNECTION;
    }
    if (!link.of().isOf(x)) {
      return Why.WRONG_USER;
    }
    return null;
  }

  /** Joins what {@link #bind} has taken, after the success has been sent. */
  void join(Exchange x) {
    PeerLink link = links.get(ConnectionId.get(x.request));
    if (link != null && link.state() == PeerLink.State.WAITING) {
      expiry.remove(link);
      link.joined();
      tally.count(Why.JOINED);
      streams.join(link.peer(), x.client);
    }
  }

  // ---- ends

  @Override
  public void ended(PeerStreams.PeerStream peer, long bytesToPeer, long bytesFromPeer) {
    PeerLink link = byPeer.get(peer);
    if (link != null) {
      link.of().relayedElsewhere(0, bytesToPeer, 0, bytesFromPeer);
      forget(link);
    }
  }

  /** Ends the connections that no client has bound in time. */
  void tick(long now) {
    for (PeerLink due = expiry.poll(now); due != null; due = expiry.poll(now)) {
      tally.count(Why.CONNECTION_UNBOUND);
      end(due);
    }
  }

  long nanosLeft(long now) {
    return expiry.nanosLeft(now);
  }
}
