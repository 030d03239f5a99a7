// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.netserv.mediarelay.core.AllocationState.Event;
import org.netserv.packet.Tally;

/** All allocations and what they hold: 5-tuples, relayed ports, tickets, reservations. */
public final class Allocations {
  private static final int OPEN_TRIES = 8;

  private final Limits limits;
  private final RelayedPorts ports;
  private final RelayedSocket.Opener opener;
  private final Accounts accounts;
  private final Tally<Why> tally;
  private final AllocationTable table;
  private final Expiry<Allocation> expiry = new Expiry<>();
  private final Expiry<Reservations.Reservation> heldPorts = new Expiry<>();
  private final Reservations reservations;
  private final Tickets tickets;
  private final Set<Allocation> all = new HashSet<>();
  private ChannelWatch watch = ChannelWatch.NOBODY;
  private Keeper keeper = Keeper.NOBODY;
  private long clock;
  private volatile int count;

  Allocations(
      Limits limits,
      RelayedPorts ports,
      RelayedSocket.Opener opener,
      Accounts accounts,
      Tally<Why> tally,
      RandomGenerator random) {
    this.limits = limits;
    this.ports = ports;
    this.opener = opener;
    this.accounts = accounts;
    this.tally = tally;
    table = new AllocationTable(random.nextLong());
    reservations = new Reservations(random);
    tickets = new Tickets(random);
  }

  /**
   * Makes the empty set of allocations.
   *
   * @param udp relayed addresses, at most one range of each family
   * @param tcp relayed addresses of RFC 6062, likewise
   */
  public static Allocations of(
      Limits limits,
      List<RelayedRange> udp,
      List<RelayedRange> tcp,
      RelayedSocket.Opener opener,
      Accounts accounts,
      Tally<Why> tally,
      RandomGenerator random) {
    return new Allocations(
        limits, new RelayedPorts(udp, tcp, random), opener, accounts, tally, random);
  }

  /** Hears of channels, for somebody who relays them elsewhere. */
  public interface ChannelWatch {
    /** Watches nothing. */
    ChannelWatch NOBODY =
        new ChannelWatch() {
          @Override
          public void bound(Allocation of, Channel channel) {}

          @Override
          public void permitted(Allocation of, long high, long low) {}

          @Override
          public void unbound(Allocation of, Channel channel) {}
        };

    /** A channel was bound or refreshed. */
    void bound(Allocation of, Channel channel);

    /** A permission was made or refreshed by a request of its own. */
    void permitted(Allocation of, long high, long low);

    /** A channel has ended, with its time or with its allocation. */
    void unbound(Allocation of, Channel channel);
  }

  public void watch(ChannelWatch by) {
    watch = by;
  }

  ChannelWatch watch() {
    return watch;
  }

  /** From now on allocations are remembered. */
  public void keeper(Keeper by) {
    keeper = by;
  }

  /** Remembers the allocation of a client after a request of the client. */
  void keep(Client client, long now) {
    Allocation of = find(client);
    if (of != null) {
      keeper.changed(of, now);
    }
  }

  Limits limits() {
    return limits;
  }

  RelayedPorts ports() {
    return ports;
  }

  RelayedSocket.Opener opener() {
    return opener;
  }

  Tickets tickets() {
    return tickets;
  }

  Accounts accounts() {
    return accounts;
  }

  /** Returns the number of allocations, from any thread. */
  public int count() {
    return count;
  }

  public AllocationTable table() {
    return table;
  }

  /** Returns the allocation of a client, null = it has none. */
  Allocation find(Client client) {
    return client.transport() == Transport.UDP
        ? table.find(client.high(), client.low(), client.port(), client.serverPort())
        : client.allocation();
  }

  /** Returns all allocations. */
  List<Allocation> list() {
    return new ArrayList<>(all);
  }

  // ---- making one

  /** Makes an allocation without a relayed address. It is nobody's until {@link #add}. */
  Allocation make(Exchange x, boolean tcp, boolean mobile) {
    return new Allocation(
        x.client,
        accounts.of(x.user),
        x.login,
        tcp,
        mobile,
        x.request.transactionLow(),
        limits,
        x.now);
  }

  /**
   * Gives an allocation a relayed address at any port.
   *
   * @param even whether the port must be even
   * @param pair whether the next port is reserved
   * @return why it has none, null = it has one
   */
  Why relay(Allocation of, int family, boolean even, boolean pair, boolean dontFragment, long now) {
    PortPool pool = ports.pool(of.isTcp(), family);
    List<Integer> passed = new ArrayList<>();
    Why why = Why.PORTS_EXHAUSTED;
    for (int i = 0; i < OPEN_TRIES && why != null; i++) {
      int port = even ? pool.takeEven(pair) : pool.take();
      if (port < 0) {
        break;
      }
      why = open(of, family, port, dontFragment);
      if (why != null) {
        passed.add(port);
        if (pair) {
          passed.add(port + 1);
        }
      } else if (pair) {
        Reservations.Reservation held = reservations.hold(family, port + 1, now);
        heldPorts.update(held);
        of.reservation(held.token());
      }
    }
    passed.forEach(pool::give);
    return why;
  }

  /** Gives an allocation the relayed address of a reservation, which is then used up. */
  Why relayReserved(Allocation of, long token, boolean dontFragment) {
    Reservations.Reservation held = reservations.find(token);
    if (held == null) {
      return Why.NO_RESERVATION;
    }
    forget(held);
    Why why = open(of, held.family(), held.port(), dontFragment);
    if (why != null) {
      ports.pool(false, held.family()).give(held.port());
    }
    return why;
  }

  /** Returns the family of a reservation, 0 = there is none. */
  int reservedFamily(long token) {
    Reservations.Reservation held = reservations.find(token);
    return held == null ? 0 : held.family();
  }

  /** Takes the relayed port that an allocation had before. */
  boolean claim(int family, int port) {
    return ports.has(false, family) && ports.pool(false, family).claim(port);
  }

  /** Opens the socket of an allocation that has its port again. */
  boolean openAgain(Allocation of, int family) {
    return open(of, family, of.port(family), of.isWhole(family)) == null;
  }

  private void forget(Reservations.Reservation held) {
    heldPorts.remove(held);
    reservations.remove(held);
  }

  private Why open(Allocation of, int family, int port, boolean dontFragment) {
    try {
      of.relayed(family, port, opener.open(of, family, port, dontFragment), dontFragment);
      return null;
    } catch (IOException e) {
      tally.count(Why.NO_SOCKET);
      return Why.PORTS_EXHAUSTED;
    }
  }

  /** Makes an allocation that has a relayed address its client's. */
  void add(Allocation allocation) {
    all.add(allocation);
    count = all.size();
    allocation.account().begun();
    attach(allocation, allocation.client());
    expiry.update(allocation);
  }

  private void attach(Allocation allocation, Client client) {
    allocation.client(client);
    client.allocation(allocation);
    if (client.transport() == Transport.UDP) {
      table.add(allocation);
    }
  }

  private void detach(Allocation allocation) {
    Client client = allocation.client();
    if (client.transport() == Transport.UDP) {
      table.remove(allocation);
    }
    client.allocation(null);
  }

  /** Gives back the relayed addresses of an allocation that has not become its client's. */
  void discard(Allocation allocation) {
    release(allocation, 4);
    release(allocation, 6);
    if (allocation.reservation() != 0) {
      Reservations.Reservation held = reservations.find(allocation.reservation());
      forget(held);
      ports.pool(false, held.family()).give(held.port());
    }
  }

  // ---- life

  /** Sets the lifetime of an allocation's relayed address of a family. */
  void live(Allocation allocation, int family, int seconds, long now) {
    allocation.until(family, now + seconds * 1_000_000_000L);
    if (all.contains(allocation)) {
      expiry.update(allocation);
    }
  }

  /** Moves an allocation to another 5-tuple (RFC 8016). */
  boolean move(Allocation allocation, Client to) {
    if (!allocation.on(Event.MOVE)) {
      return false;
    }
    allocation.eachChannel(channel -> watch.unbound(allocation, channel));
    detach(allocation);
    attach(allocation, to);
    allocation.eachChannel(channel -> watch.bound(allocation, channel));
    return true;
  }

  /** Ends the relayed address of a family, and the allocation if it was the only one. */
  void end(Allocation allocation, int family, Event event, Why why) {
    if (!allocation.has(family == 4 ? 6 : 4)) {
      end(allocation, event, why);
      return;
    }
    allocation.channels().forgetFamily(family, channel -> watch.unbound(allocation, channel));
    allocation.permissions().forgetFamily(family);
    release(allocation, family);
    expiry.update(allocation);
    keeper.changed(allocation, clock);
    tally.count(why);
  }

  /** Ends an allocation. */
  void end(Allocation allocation, Event event, Why why) {
    if (!allocation.on(event)) {
      return;
    }
    tally.count(why);
    allocation.eachChannel(channel -> watch.unbound(allocation, channel));
    keeper.ended(allocation);
    expiry.remove(allocation);
    detach(allocation);
    tickets.forget(allocation);
    release(allocation, 4);
    release(allocation, 6);
    all.remove(allocation);
    count = all.size();
    allocation.settle();
    allocation.account().ended(allocation.life(clock));
  }

  private void release(Allocation allocation, int family) {
    if (allocation.has(family)) {
      int port = allocation.port(family);
      if (allocation.socket(family) != null) { // null = it could not be opened again
        allocation.socket(family).close();
      }
      allocation.relayed(family, 0, null, false);
      ports.pool(allocation.isTcp(), family).give(port);
    }
  }

  /** Tells the time of the events that follow. */
  void at(long now) {
    clock = now;
  }

  /** Ends all that has expired. */
  void tick(long now) {
    at(now);
    for (Allocation due = expiry.poll(now); due != null; due = expiry.poll(now)) {
      expire(due, now);
    }
    for (Reservations.Reservation held = heldPorts.poll(now);
        held != null;
        held = heldPorts.poll(now)) {
      reservations.remove(held);
      ports.pool(false, held.family()).give(held.port());
    }
  }

  private void expire(Allocation due, long now) {
    for (int family = 4; family <= 6; family += 2) {
      if (due.has(family) && due.isExpired(family, now)) {
        end(due, family, Event.TIME_UP, Why.EXPIRED);
      }
    }
  }

  /** Adds all that was relayed until now to the users' accounts. */
  public void settle() {
    all.forEach(Allocation::settle);
  }

  /** The connection of a client has ended. */
  void gone(Client client) {
    Allocation allocation = client.allocation();
    if (allocation == null) {
      return;
    }
    if (allocation.isMobile()) {
      allocation.on(Event.LEG_KEPT);
    } else {
      end(allocation, Event.LEG_LOST, Why.LEG_LOST);
    }
  }

  /** Ends all allocations, and gives back all ports. */
  void stop() {
    list().forEach(allocation -> end(allocation, Event.STOP, Why.STOPPED));
  }

  /** Returns nanoseconds to the next call of {@link #tick}. */
  long nanosLeft(long now) {
    return Math.min(expiry.nanosLeft(now), heldPorts.nanosLeft(now));
  }
}
