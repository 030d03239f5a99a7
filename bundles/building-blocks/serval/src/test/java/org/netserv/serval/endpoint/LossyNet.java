// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.netserv.serval.Control;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;

/**
 * A network in virtual time that loses, doubles and reorders packets, by a seed. An address that an
 * endpoint has left is gone as soon as the endpoint does not use it.
 */
final class LossyNet implements Wire {
  static final int PORT = 54325;

  /** A host of the network. */
  interface Node {
    void take(ByteBuffer packet, Endpoint from, Endpoint to);
  }

  private record Event(long at, long number, Runnable act) {}

  final Random random;

  /** Control messages sent, by their flags. */
  final int[] sent = new int[256];

  /** Control messages that have come to an endpoint, by their flags. */
  final int[] delivered = new int[256];

  /** Packets lost because one of their addresses is gone. */
  int gone;

  double lost;
  double doubled;
  long jitter;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final Map<Endpoint, Node> nodes = new HashMap<>();
  private final Map<Endpoint, ServalEndpoint> left = new HashMap<>();
  private final SalPacket read = new SalPacket();
  private final List<ServalEndpoint> endpoints = new ArrayList<>();
  private long numbers;
  private long now;

  LossyNet(long seed) {
    random = new Random(seed);
  }

  static Endpoint address(int host) {
    return Endpoint.ofIpv4(0x0a000000 + host, PORT);
  }

  long now() {
    return now;
  }

  /** Makes an endpoint on an address. */
  ServalEndpoint endpoint(int host, EndpointSettings settings) {
    Endpoint own = address(host);
    ServalEndpoint made = new ServalEndpoint(settings, this, own, random, this::now);
    attach(own, made::receive);
    endpoints.add(made);
    return made;
  }

  void attach(Endpoint address, Node node) {
    nodes.put(address, node);
  }

  void detach(Endpoint address) {
    nodes.remove(address);
  }

  /** Moves an endpoint to another address. The old one may die at once. */
  void move(ServalEndpoint moved, int host, boolean oldDies) {
    if (oldDies) {
      detach(moved.own());
    } else {
      left.put(moved.own(), moved);
    }
    left.remove(address(host));
    attach(address(host), moved::receive);
    moved.move(address(host));
  }

  void at(long time, Runnable act) {
    events.add(new Event(time, numbers++, act));
  }

  @Override
  public boolean send(ByteBuffer packet, Endpoint from, Endpoint to) {
    ByteBuffer copy = ByteBuffer.allocate(packet.remaining()).put(packet.duplicate()).flip();
    boolean lives = nodes.containsKey(from) && nodes.containsKey(to);
    gone += lives ? 0 : 1;
    sent[flags(copy)]++;
    int copies = random.nextDouble() < lost || !lives ? 0 : 1;
    copies += copies > 0 && random.nextDouble() < doubled ? 1 : 0;
    for (int i = 0; i < copies; i++) {
      at(now + 5 + (long) (random.nextDouble() * jitter), () -> deliver(copy, from, to));
    }
    return true;
  }

  private void deliver(ByteBuffer packet, Endpoint from, Endpoint to) {
    Node node = nodes.get(to);
    if (node == null) {
      gone++;
    } else {
      delivered[flags(packet)]++;
      node.take(packet.duplicate(), from, to);
    }
  }

  private int flags(ByteBuffer packet) {
    read.reset(packet, 0, packet.limit());
    return Control.flags(read);
  }

  /** Returns the probability that no copy of a packet comes over so many hops. */
  double none(int hops) {
    double before = hops == 0 ? 0 : none(hops - 1);
    return hops == 0 ? 0 : lost + (1 - lost) * before * (1 - doubled + doubled * before);
  }

  /** Runs all that happens up to a time. */
  void run(long until) {
    for (long next = next(); next <= until; next = next()) {
      now = Math.max(now, next);
      if (!events.isEmpty() && events.peek().at() <= now) {
        events.poll().act().run();
      } else {
        List.copyOf(endpoints).forEach(ServalEndpoint::due);
      }
      closeUnused();
    }
    now = until;
  }

  private void closeUnused() {
    for (Map.Entry<Endpoint, ServalEndpoint> entry : Map.copyOf(left).entrySet()) {
      if (!entry.getValue().uses(entry.getKey())) {
        left.remove(entry.getKey());
        detach(entry.getKey());
      }
    }
  }

  private long next() {
    long next = events.isEmpty() ? Long.MAX_VALUE : events.peek().at();
    for (ServalEndpoint endpoint : endpoints) {
      next = Math.min(next, endpoint.dueAt());
    }
    return next;
  }
}
