// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Access;
import org.netserv.mediarelay.core.Accounts;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.Allocations;
import org.netserv.mediarelay.core.Bucket;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Discovery;
import org.netserv.mediarelay.core.KeptAllocation;
import org.netserv.mediarelay.core.Limits;
import org.netserv.mediarelay.core.PeerLinks;
import org.netserv.mediarelay.core.PeerRules;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Restorer;
import org.netserv.mediarelay.core.Strangers;
import org.netserv.mediarelay.core.TurnServer;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Relays;
import org.netserv.packet.Tally;

/** A running relay: its sockets and threads. Ends with {@link #close}. */
public final class Relay implements Closeable {
  private static final System.Logger LOG = System.getLogger(Relay.class.getName());

  private static final int BATCH = 256;
  private static final int DATAGRAM_MOST = 2048;
  private static final int SINGLE_MOST = 2048;
  private static final int SERVER_BUFFER = 4 << 20;
  private static final long STOP_MILLIS = 2000;
  private static final long DRAIN_STEP_MILLIS = 50;

  private final ReentrantLock lock = new ReentrantLock();
  private final Timers timers = new Timers();
  private final UdpSelector selector;
  private final List<ServerPort> servers = new ArrayList<>();
  private final Allocations allocations;
  private final PacketThread packets;
  private final Thread packetThread;
  private final RelayLoop loop;
  private final ExecutorService helpers;
  private final TcpPeers tcpPeers;
  private final TurnServer turn;
  private final ClientMessages messages;
  private final Streams streams;
  private final Tally<Why> tally;
  private final RandomGenerator random;
  private TcpLegs tcpLegs; // null = not served yet
  private DtlsLegs dtlsLegs; // null = no DTLS
  private AllocationFile file; // null = nothing is kept

  /**
   * The part of a plan for clients that do not come by UDP alone.
   *
   * @param tcpPorts on which clients are served by TCP, and by TLS if there are keys
   * @param connections of TCP and TLS at once, and as many sessions of DTLS
   */
  public record Streams(List<Integer> tcpPorts, int connections) {}

  /**
   * The parts that settings make.
   *
   * @param udpPorts on which clients are served
   * @param squares addresses and ports of the discovery of RFC 5780; {@code udpPorts} has all their
   *     ports inside
   * @param udp relayed addresses, at most one of each family
   * @param tcp relayed addresses of RFC 6062
   * @param software value of SOFTWARE, null = none
   * @param peerBuffer receive buffer of a relayed socket in bytes, 0 = the system's
   */
  public record Plan(
      List<Integer> udpPorts,
      List<Discovery.Square> squares,
      Streams streams,
      List<RelayedRange> udp,
      List<RelayedRange> tcp,
      Limits limits,
      Access access,
      PeerRules rules,
      Strangers strangers,
      String software,
      int peerBuffer) {}

  /**
   * Opens the sockets of UDP. Nothing is served before {@link #start}.
   *
   * @param random makes ports and tokens that nobody can predict
   * @throws IOException if a port cannot be had; nothing stays open then
   */
  public Relay(Plan plan, Accounts accounts, Tally<Why> tally, RandomGenerator random)
      throws IOException {
    ThreadFactory threads = Relay::thread;
    this.streams = plan.streams();
    this.tally = tally;
    this.random = random;
    RandomGenerator ids = new SplittableRandom(random.nextLong()); // of indications; no secret
    selector = UdpSelector.open();
    try {
      PeerSockets peers = new PeerSockets(selector, plan.peerBuffer());
      RelayedAddresses relayed = new RelayedAddresses(peers);
      allocations =
          Allocations.of(plan.limits(), plan.udp(), plan.tcp(), relayed, accounts, tally, random);
      turn =
          new TurnServer(
              allocations, plan.access(), plan.rules(), plan.strangers(), plan.software(), tally);
      DataPath path = path(plan, peers, tally, ids);
      DatagramBatch single = new DatagramBatch(1, SINGLE_MOST);
      for (int port : plan.udpPorts()) {
        listen(port, single);
      }
      turn.discovery(new Discovery(plan.squares(), this::server));
      packets =
          new PacketThread(
              selector,
              new DatagramBatch(BATCH, DATAGRAM_MOST),
              servers.toArray(new ServerPort[0]),
              peers,
              turn,
              allocations.table(),
              path,
              new PeerErrors(ids, tally),
              timers,
              lock,
              System::nanoTime,
              tally);
      helpers = Executors.newFixedThreadPool(1, threads);
      loop = new RelayLoop(lock, timers, System::nanoTime, selector::wakeup, helpers, threads);
      tcpPeers = new TcpPeers(loop, tally, plan.streams().connections(), plan.tcp());
      PeerLinks links = new PeerLinks(tcpPeers, plan.rules(), tally, random, System::nanoTime);
      relayed.tcp(links);
      turn.links(links);
      messages = new StreamMessages(turn, path, loop, tally);
    } catch (IOException | RuntimeException e) {
      closeSockets();
      throw e;
    }
    packetThread = threads.newThread(packets);
  }

  private static DataPath path(
      Plan plan, PeerSockets peers, Tally<Why> tally, RandomGenerator random) {
    long rate = plan.limits().totalBytesPerSecond();
    Bucket total = new Bucket(rate, plan.limits().burst(rate), System.nanoTime());
    return new DataPath(peers, plan.rules(), ranges(plan), total, tally, random);
  }

  /** Returns the relayed addresses of IPv4 and IPv6, null = none. */
  private static RelayedRange[] ranges(Plan plan) {
    RelayedRange[] ranges = new RelayedRange[2];
    plan.udp().forEach(range -> ranges[range.family() == 4 ? 0 : 1] = range);
    return ranges;
  }

  private void listen(int port, DatagramBatch single) throws IOException {
    UdpSocket socket = UdpSocket.bind(new InetSocketAddress("::", port));
    ServerPort server = new ServerPort(port, socket, single);
    servers.add(server);
    socket.receiveBuffer(SERVER_BUFFER);
    socket.sendBuffer(SERVER_BUFFER);
    selector.add(socket, PacketThread.SERVER_KEY | (servers.size() - 1));
  }

  /**
   * Serves TCP, TLS and DTLS from now on. After {@link #start}, because the calls of an earlier
   * relay wait for UDP, and to read keys takes longer than everything else of a start.
   *
   * @param keys of TLS and DTLS, null = neither is served
   * @throws IOException if a port cannot be had; the relay has to be closed then
   */
  public void serveStreams(TlsKeys keys) throws IOException {
    TcpLegs legs = new TcpLegs(loop, messages, tally, keys, streams.connections());
    loop.locked(
        () -> {
          tcpLegs = legs;
          dtlsLegs = keys == null ? null : dtls(keys);
        });
    for (int port : streams.tcpPorts()) {
      legs.listen(port);
    }
  }

  /** Has new connections and sessions take other keys. Only where there are keys already. */
  public void keys(TlsKeys with) {
    loop.locked(
        () -> {
          tcpLegs.keys(with);
          dtlsLegs.keys(with);
        });
  }

  private DtlsLegs dtls(TlsKeys keys) {
    int seed = random.nextInt();
    DtlsLegs legs =
        new DtlsLegs(loop, messages, this::send, tally, keys, streams.connections(), seed);
    packets.sessions(
        (server, of, entry) -> {
          legs.received(
              of.addressHigh(entry),
              of.addressLow(entry),
              of.port(entry),
              server.port(),
              of.bytes(),
              of.start(entry),
              of.length(entry));
          return true;
        });
    return legs;
  }

  /** Returns the socket of a port for clients, null = there is none. */
  private ServerPort server(int port) {
    for (ServerPort server : servers) {
      if (server.port() == port) {
        return server;
      }
    }
    return null;
  }

  /** Sends a datagram of a DTLS session from the port that its client has addressed. */
  private boolean send(Client to, ByteBuffer bytes, int start, int length) {
    ServerPort server = server(to.serverPort());
    return server != null && server.send(to, bytes, start, length);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "media-relay");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Gives bound channels to the kernel from now on, as far as it takes them. Not with a limit of
   * bandwidth, which the kernel does not know. Before {@link #start}.
   *
   * @param addresses of the node at which UDP clients reach the relay, with their ports
   */
  public void useKernel(Relays relays, List<RelayedRange> addresses, Plan plan, Tally<Why> tally) {
    if (plan.limits().bytesPerSecond() != 0 || plan.limits().totalBytesPerSecond() != 0) {
      return;
    }
    KernelChannels channels =
        new KernelChannels(relays, addresses, ranges(plan), plan.rules(), tally, loop);
    loop.locked(
        () -> {
          allocations.watch(channels);
          channels.start();
        });
  }

  /**
   * Makes the allocations again that an earlier process has left in a file under the same
   * properties, and keeps those of this process there. After {@link #useKernel}, before {@link
   * #start}. A file that cannot be read or written costs what it has, and nothing else.
   *
   * @param digest of the properties, 32 bytes
   */
  public void keep(AllocationFile in, byte[] digest, Plan plan) {
    loop.locked(
        () -> {
          try {
            restore(in, in.begin(digest), plan);
            file = in;
          } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "allocations are not kept", e);
          }
        });
  }

  private void restore(AllocationFile from, List<AllocationFile.Left> all, Plan plan) {
    long now = System.nanoTime();
    Restorer restorer = new Restorer(allocations, plan.rules(), tally, now, from.millis());
    for (AllocationFile.Left left : all) {
      KeptAllocation kept = left.allocation();
      ServerPort server = server(kept.serverPort());
      Allocation made =
          server == null
              ? null
              : restorer.restore(kept, server.client(kept.high(), kept.low(), kept.port()));
      if (made == null) {
        from.forget(left.slot());
      } else {
        from.again(made, left.slot());
      }
    }
    allocations.keeper(from);
    long bound = System.nanoTime();
    restorer.open();
    from.done();
    if (!all.isEmpty()) {
      LOG.log(
          System.Logger.Level.INFO,
          "allocations made again: {0} of {1}, channels after {2} ms, sockets after {3} ms",
          allocations.count(),
          all.size(),
          TimeUnit.NANOSECONDS.toMillis(bound - now),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - now));
    }
  }

  /** Begins to serve clients by UDP. */
  public void start() {
    packetThread.start();
    loop.start();
  }

  /** From now on these credentials hold. Present allocations are still known by theirs. */
  public void access(Access by) {
    loop.locked(() -> turn.access(by));
  }

  /** From now on no allocation is made. The present ones stay until they end. */
  public void drain() {
    loop.locked(turn::drain);
  }

  /** Waits until there is no allocation any more, or the time is over. */
  public void awaitEnd(long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (allocations.count() > 0 && System.nanoTime() - end < 0) {
      Thread.sleep(DRAIN_STEP_MILLIS);
    }
  }

  /** Returns the number of allocations now. */
  public int allocationCount() {
    return allocations.count();
  }

  /** Adds what was relayed until now to the users' accounts. */
  public void settle() {
    loop.locked(allocations::settle);
  }

  /** Tells whether packets are relayed. False after a failure of the packet thread. */
  public boolean isServing() {
    return packetThread.isAlive();
  }

  /** Ends all allocations, then the threads, then the sockets. */
  @Override
  public void close() {
    packets.end();
    join(packetThread);
    loop.locked(turn::stop);
    loop.locked(this::closeFile);
    loop.locked(this::closeLegs);
    helpers.shutdownNow();
    loop.close();
    closeSockets();
  }

  private void closeFile() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the file of allocations does not close", e);
    }
  }

  private void closeLegs() {
    tcpPeers.close();
    try {
      if (tcpLegs != null) {
        tcpLegs.close();
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "a connection does not close", e);
    }
    if (dtlsLegs != null) {
      dtlsLegs.close();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeSockets() {
    try {
      for (ServerPort server : servers) {
        server.socket().close();
      }
      selector.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "a socket does not close", e);
    }
  }
}
