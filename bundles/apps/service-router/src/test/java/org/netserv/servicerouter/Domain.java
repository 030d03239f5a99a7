// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;
import org.netserv.serval.table.Rule;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Output;
import org.netserv.servicerouter.core.PacketRouter;
import org.netserv.servicerouter.core.Received;

/**
 * Routers by their properties in virtual time, on a network that loses, doubles and reorders
 * packets by a seed. An address that is no router is a host, which keeps what it gets.
 */
public final class Domain {
  private static final int TICK = 100;
  private static final int ROOM = 2048;
  private static final Endpoint ANY = new Endpoint(0, 0, 0);

  /** A packet that has come to a host, with its list of hops. */
  public record Arrival(Endpoint host, List<Endpoint> hops) {}

  private record Event(long at, long number, Runnable act) {}

  public final Random random;
  public final List<Arrival> arrivals = new ArrayList<>();
  public double lost;
  public double doubled;
  public int jitter;
  public long now;

  /** Packets sent by routers. */
  public long sent;

  private final Map<Endpoint, Node> nodes = new HashMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private long numbers;

  /** Makes an empty network. */
  public Domain(long seed) {
    random = new Random(seed);
  }

  public static Endpoint at(int last) {
    return Endpoint.ofIpv4(0x0a000000 + last, 54325);
  }

  public static String text(Endpoint address) {
    int bytes = address.ipv4();
    return (bytes >>> 24)
        + "."
        + (bytes >>> 16 & 255)
        + "."
        + (bytes >>> 8 & 255)
        + "."
        + (bytes & 255)
        + ":"
        + address.port();
  }

  /** Makes a router. */
  public Node router(Endpoint at, String... properties) {
    Node node = new Node(at, properties);
    nodes.put(at, node);
    return node;
  }

  /** Has a router vanish without a word. */
  public void kill(Node node) {
    nodes.remove(node.own);
  }

  /** Sends a datagram of a host. */
  public void send(ByteBuffer datagram, Endpoint from, Endpoint to) {
    int copies = random.nextDouble() < lost ? 0 : 1;
    copies += copies > 0 && random.nextDouble() < doubled ? 1 : 0;
    for (int i = 0; i < copies; i++) {
      events.add(
          new Event(
              now + 1 + (jitter == 0 ? 0 : random.nextInt(jitter)),
              numbers++,
              () -> deliver(datagram, from, to)));
    }
  }

  private void deliver(ByteBuffer datagram, Endpoint from, Endpoint to) {
    Node node = nodes.get(to);
    if (node != null) {
      int end = datagram.limit();
      node.router.take(new Received(datagram.duplicate(), 0, end, from, ANY, 60), now);
      return;
    }
    SalPacket packet = new SalPacket();
    if (packet.reset(datagram, 0, datagram.limit()) != ServalError.OK) {
      throw new IllegalStateException("a broken packet has come to " + text(to));
    }
    arrivals.add(new Arrival(to, Way.get(packet).hops()));
  }

  /** Lets time go by. */
  public void run(long millis) {
    long end = now + millis;
    while (now < end) {
      long tick = now - Math.floorMod(now, TICK) + TICK;
      now = Math.min(end, events.isEmpty() ? tick : Math.min(tick, events.peek().at()));
      while (!events.isEmpty() && events.peek().at() <= now) {
        events.poll().act().run();
      }
      if (now % TICK == 0) {
        List.copyOf(nodes.values()).forEach(node -> node.router.tick(now));
      }
    }
  }

  /** Returns the host to which a SYN of a client goes by a router, null if to none. */
  public Endpoint resolve(Node by, ServiceId id, Endpoint client) {
    arrivals.clear();
    by.router.take(new Received(syn(id), 0, syn(id).limit(), client, ANY, 60), now);
    run(300);
    return arrivals.isEmpty() ? null : arrivals.get(0).host();
  }

  private static ByteBuffer syn(ServiceId id) {
    return Datagrams.syn(id, 7);
  }

  /** A router of the network. */
  public final class Node implements Output {
    public final Endpoint own;
    public final Tally<Outcome> tally = new Tally<>(Outcome.class);
    public final PacketRouter router;
    private final ByteBuffer room = ByteBuffer.allocate(ROOM);

    private Node(Endpoint own, String... properties) {
      this.own = own;
      Map<String, String> all =
          new TreeMap<>(Map.of("listen", text(own), ServiceGrant.PROPERTY, "default"));
      for (int i = 0; i < properties.length; i += 2) {
        all.put(properties[i], properties[i + 1]);
      }
      RouterSettings settings = RouterSettings.of(all);
      router = new PacketRouter(settings.plan(), random, this, null, tally, now);
      var feeders = settings.feeding().feeders(random, () -> now, tally);
      router.feed(
          feeders.make().apply(router, task -> events.add(new Event(now, numbers++, task))),
          feeders.choice());
    }

    public long count(Outcome outcome) {
      return tally.get(outcome);
    }

    /** Returns the rules that hosts and other routers have registered. */
    public List<Rule> registered() {
      return router.registered();
    }

    @Override
    public ByteBuffer bytes() {
      return room;
    }

    @Override
    public int start() {
      return 0;
    }

    @Override
    public int end() {
      return room.capacity();
    }

    @Override
    public void send(int length, Endpoint to, Endpoint from, int ttl) {
      sent++;
      Domain.this.send(ByteBuffer.allocate(length).put(0, room, 0, length), own, to);
    }
  }
}
