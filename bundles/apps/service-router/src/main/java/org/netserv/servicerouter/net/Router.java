// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedSelectorException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.netserv.packet.RuleBoard;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.table.Rule;
import org.netserv.servicerouter.core.Feeders;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.PacketRouter;
import org.netserv.servicerouter.core.Plan;
import org.netserv.servicerouter.core.Received;

/** A service router on one UDP socket, with a thread of its own. */
public final class Router implements Closeable {
  private static final System.Logger LOG = System.getLogger(Router.class.getName());

  private static final int BATCH = 64;
  private static final int DATAGRAM_MOST = 2048;

  /** Bytes by which a header can grow: a full list in HOPS. */
  private static final int GROWTH = 256;

  private static final int SOCKET_BUFFER = 4 << 20;
  private static final int TICK_MILLIS = 100;
  private static final int STOP_MILLIS = 2000;

  /** The TTL of a packet for which the socket tells none. */
  private static final int TTL_UNKNOWN = 64;

  private final UdpSocket socket;
  private final UdpSelector selector;
  private final DatagramBatch batch = new DatagramBatch(BATCH, DATAGRAM_MOST);
  private final Outbox outbox;
  private final PacketRouter packets;
  private final Tally<Outcome> tally;
  private final LongSupplier millis;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Thread thread = new Thread(this::run, "service-router");
  private RuleBoard board = new RuleBoard(); // nobody asks by this one
  private volatile boolean ends;

  /**
   * Opens the socket.
   *
   * @param kernel takes rules, null if the node has none
   * @param feeders give rules and announce them
   * @param adopted rules that hosts have registered at an earlier router
   * @param millis the time, never backwards
   * @throws IllegalArgumentException if the table refuses a rule of the plan; nothing is bound then
   * @throws IOException if the address cannot be had
   */
  public Router(
      Plan plan,
      InetSocketAddress local,
      ServiceRules kernel,
      Feeders feeders,
      List<Rule> adopted,
      RandomGenerator random,
      LongSupplier millis,
      Tally<Outcome> tally)
      throws IOException {
    check(plan, random);
    this.millis = millis;
    this.tally = tally;
    selector = UdpSelector.open();
    UdpSocket bound = null;
    try {
      bound = UdpSocket.bind(local);
      bound.receiveBuffer(SOCKET_BUFFER);
      bound.sendBuffer(SOCKET_BUFFER);
      bound.traffic(true);
      selector.add(bound, 0);
    } catch (IOException | RuntimeException e) {
      close(bound, selector);
      throw e;
    }
    socket = bound;
    outbox = new Outbox(socket, new DatagramBatch(BATCH, DATAGRAM_MOST + GROWTH), tally);
    packets = new PacketRouter(plan, random, outbox, kernel, tally, millis.getAsLong());
    packets.feed(feeders.make().apply(packets, this::execute), feeders.choice());
    packets.adopt(adopted, millis.getAsLong());
    thread.setDaemon(true);
  }

  /**
   * Makes the table of a plan once, without a socket.
   *
   * @throws IllegalArgumentException if the table refuses a rule
   */
  public static void check(Plan plan, RandomGenerator random) {
    PacketRouter unused = new PacketRouter(plan, random, null, null, new Tally<>(Outcome.class), 0);
  }

  /** Answers the questions of a board. Called before {@link #start}. */
  public void show(RuleBoard questions) {
    board = questions;
  }

  /** Begins to route. */
  public void start() {
    thread.start();
  }

  /** Returns the address to which the socket is bound. */
  public InetSocketAddress localAddress() throws IOException {
    return socket.localAddress();
  }

  /** Tells whether packets are routed. False after a failure of the socket. */
  public boolean isRouting() {
    return thread.isAlive();
  }

  private void run() {
    try {
      while (!ends) {
        round();
      }
    } catch (ClosedSelectorException e) {
      ends = true;
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "the service router has lost its socket", e);
    }
  }

  /** Runs a task of a feeder on the thread of the router. */
  private void execute(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  private void round() throws IOException {
    int count = selector.receive(batch, TICK_MILLIS);
    long now = millis.getAsLong();
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    for (int i = 0; i < count; i++) {
      take(i, now);
    }
    packets.tick(now);
    for (RuleBoard.Question each = board.next(); each != null; each = board.next()) {
      packets.show(each, now);
    }
    outbox.flush();
  }

  private void take(int i, long now) {
    if (batch.isTruncated(i)) {
      tally.count(Outcome.ROUTER_TOO_LONG);
      return;
    }
    Endpoint sender = new Endpoint(batch.addressHigh(i), batch.addressLow(i), batch.port(i));
    Endpoint local = new Endpoint(batch.localHigh(i), batch.localLow(i), 0);
    int ttl = batch.hasTraffic(i) ? batch.ttl(i) : TTL_UNKNOWN;
    int start = batch.start(i);
    packets.take(
        new Received(batch.bytes(), start, start + batch.length(i), sender, local, ttl), now);
  }

  /**
   * Ends the thread, and closes the socket.
   *
   * @param forGood tells whether no other router follows in the place of this one
   * @return the rules that hosts have registered
   */
  public List<Rule> end(boolean forGood) {
    ends = true;
    selector.wakeup();
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<Rule> registered = thread.isAlive() ? List.of() : last(forGood);
    close(socket, selector);
    return registered;
  }

  /** Sends the last messages when the thread has ended. */
  private List<Rule> last(boolean forGood) {
    packets.end(forGood, millis.getAsLong());
    try {
      outbox.flush();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the last messages are not sent", e);
    }
    return packets.registered();
  }

  @Override
  public void close() {
    var unused = end(true);
  }

  private static void close(UdpSocket socket, UdpSelector selector) {
    try (selector) {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "a socket does not close", e);
    }
  }
}
