// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.netserv.serval.Capability;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;

/**
 * A client, a server, and a network in virtual time that loses, doubles and reorders their packets,
 * which go over it as bytes.
 */
final class Network {
  private static final int CLIENT = 0x0a000100;
  private static final int SERVER = 0x0a000200;
  private static final long END = 10_000_000;

  /** A packet on its way. */
  private record Flying(long at, long number, ByteBuffer bytes, Endpoint from, Endpoint to) {}

  /** An act of the test at its time. */
  private record Act(long at, long number, Runnable act) {}

  final Random random;
  final End client;
  private final double lost;
  private final double doubled;
  private final long jitter;
  private final boolean oldAddressesDie;
  private final PriorityQueue<Flying> flying =
      new PriorityQueue<>(Comparator.comparingLong(Flying::at).thenComparingLong(Flying::number));
  private final PriorityQueue<Act> acts =
      new PriorityQueue<>(Comparator.comparingLong(Act::at).thenComparingLong(Act::number));
  private final Set<Endpoint> dead = new HashSet<>();
  private final Map<FlowRefusal, Integer> refusals = new HashMap<>();
  private End server;
  private int servers;
  private int moves;
  private long numbers;
  private long now;

  Network(long seed, double lost, double doubled, long jitter, boolean oldAddressesDie) {
    random = new Random(seed);
    this.lost = lost;
    this.doubled = doubled;
    this.jitter = jitter;
    this.oldAddressesDie = oldAddressesDie;
    client = End.client(identity(), Endpoint.ofIpv4(CLIENT, 0));
  }

  private FlowIdentity identity() {
    return new FlowIdentity(1 + random.nextInt(1 << 20), random.nextLong(), random.nextInt(), 1);
  }

  End server() {
    return server;
  }

  int servers() {
    return servers;
  }

  long now() {
    return now;
  }

  Map<FlowRefusal, Integer> refusals() {
    return refusals;
  }

  void at(long time, Runnable act) {
    acts.add(new Act(time, numbers++, act));
  }

  /** Moves one end to an address that nobody has had. */
  Endpoint move(End end) {
    Endpoint to = Endpoint.ofIpv4((end == client ? CLIENT : SERVER) + ++moves, 0);
    if (oldAddressesDie) {
      dead.add(end.flow.own());
      for (int earlier = 0; earlier < moves; earlier++) {
        dead.add(Endpoint.ofIpv4((end == client ? CLIENT : SERVER) + earlier, 0));
      }
    }
    end.flow.move(to, now);
    return to;
  }

  /** Runs until nothing is on its way and nothing is due. */
  void run() {
    collect();
    for (long next = next(); next < END; next = next()) {
      now = Math.max(now, next);
      if (!acts.isEmpty() && acts.peek().at() <= now) {
        acts.poll().act().run();
      } else if (!flying.isEmpty() && flying.peek().at() <= now) {
        deliver(flying.poll());
      } else {
        client.flow.due(now);
        if (server != null) {
          server.flow.due(now);
        }
      }
      collect();
    }
    assertEquals(0, flying.size() + acts.size(), "ended late");
  }

  private long next() {
    long next = client.flow.dueAt();
    next = server == null ? next : Math.min(next, server.flow.dueAt());
    next = acts.isEmpty() ? next : Math.min(next, acts.peek().at());
    return flying.isEmpty() ? next : Math.min(next, flying.peek().at());
  }

  private void collect() {
    collect(client);
    if (server != null) {
      collect(server);
    }
  }

  private void collect(End end) {
    while (!end.sent.isEmpty()) {
      fly(end.sent.poll());
    }
  }

  private void fly(Outgoing outgoing) {
    ByteBuffer bytes = ByteBuffer.allocate(200);
    SalWriter writer = outgoing.write(new SalWriter(), bytes, 0, 200, SalPacket.UDP).finish();
    bytes.limit(writer.end());
    Endpoint to = outgoing.to() == null ? Endpoint.ofIpv4(SERVER, 0) : outgoing.to();
    int copies = random.nextDouble() < lost ? 0 : 1;
    copies += random.nextDouble() < doubled ? 1 : 0;
    if (dead.contains(outgoing.from())) {
      copies = 0;
    }
    for (int i = 0; i < copies; i++) {
      long at = now + 5 + (long) (random.nextDouble() * jitter);
      flying.add(new Flying(at, numbers++, bytes, outgoing.from(), to));
    }
  }

  private void deliver(Flying arrived) {
    if (dead.contains(arrived.to())) {
      return;
    }
    SalPacket packet = new SalPacket();
    ServalError error = packet.reset(arrived.bytes(), 0, arrived.bytes().limit());
    assertEquals(ServalError.OK, error);
    ControlMessage message = Control.get(packet);
    End end = end(message, arrived.to());
    if (end == null || end.flow.isOver()) {
      refuse(message, arrived);
      return;
    }
    FlowRefusal refusal = end.flow.take(message, Capability.get(packet), arrived.from(), now);
    refusals.merge(refusal, 1, Integer::sum);
  }

  private End end(ControlMessage message, Endpoint to) {
    if ((to.ipv4() & ~0xff) == CLIENT) {
      return message.destinationFlow() == client.flow.identity().flowId() ? client : null;
    }
    if (message.flags() == ControlFlags.SYN && (server == null || server.flow.isOver())) {
      server = End.server(identity(), to);
      servers++;
    }
    boolean syn = message.flags() == ControlFlags.SYN;
    boolean mine = server != null && message.destinationFlow() == server.flow.identity().flowId();
    return syn || mine ? server : null;
  }

  private void refuse(ControlMessage message, Flying arrived) {
    ControlMessage rst = message.refusal();
    if (rst != null) {
      fly(Outgoing.reply(rst, arrived.to(), arrived.from()));
    }
  }
}
