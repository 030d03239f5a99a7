// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * The module's own talk with the server, without sockets, threads and clocks: the {@link Link} has
 * those. A turn asks the servers that are due, drains the queue of agents, and sends reports.
 *
 * <pre>
 *   packet thread --- Seen ---> turn --- reports ----> publisher
 *   packet thread <-- Server -- turn <-- OPTIONS ----> server
 * </pre>
 */
final class LinkTurns {
  /** Sends a datagram. */
  interface Sender {
    /** Returns false if the system refuses it. */
    boolean send(ByteBuffer datagram, InetSocketAddress to);
  }

  /** Events of the link, counted by name. */
  enum Count {
    WATCH_ASKED,
    WATCH_ANSWERED,
    WATCH_BARRED,
    WATCH_STRANGE,
    SERVER_DIED,
    SERVER_REVIVED,
    REPORT_SENT,
    REPORT_BARRED,
    REPORT_AGENTS,
    REPORT_SILENT
  }

  /** Agents per turn at most. Five turns a second: 9,200 agents, 200 datagrams. */
  static final int AGENTS_A_TURN = 40 * Report.ENTRIES_MOST;

  private static final System.Logger LOG = System.getLogger(LinkTurns.class.getName());

  private final LinkSettings settings;
  private final Servers servers;
  private final Seen seen;
  private final KernelAnswers kernel;
  private final RandomGenerator random;
  private final Sender sender;
  private final ServerWatch[] watches = new ServerWatch[Servers.MOST];
  private final OptionsProbe[] probes = new OptionsProbe[Servers.MOST];
  private final Report[] reports = new Report[Servers.MOST];
  private final long[] lastReport = new long[Servers.MOST];
  private final AgentLog log;
  private final long instance;
  private final Map<Count, AtomicLong> counts = new EnumMap<>(Count.class);
  private long sequence;
  private long wall;
  private int silentRoom;

  /** Makes one whose agents the kernel does not answer. */
  LinkTurns(
      LinkSettings settings, Servers servers, Seen seen, RandomGenerator random, Sender sender) {
    this(settings, servers, seen, new KernelAnswers(null, 0), random, sender);
  }

  /**
   * @param kernel loses the agents of a server that is dead, and knows when others were heard
   */
  LinkTurns(
      LinkSettings settings,
      Servers servers,
      Seen seen,
      KernelAnswers kernel,
      RandomGenerator random,
      Sender sender) {
    this.kernel = kernel;
    this.settings = settings;
    this.servers = servers;
    this.seen = seen;
    this.random = random;
    this.sender = sender;
    log = new AgentLog(settings.maxAgents(), settings.reportSilent(), settings.reportInterval());
    instance = random.nextLong();
    for (Count count : Count.values()) {
      counts.put(count, new AtomicLong());
    }
  }

  /**
   * Does all that is due.
   *
   * @param now milliseconds of a monotonic clock that began near 0
   * @param time milliseconds since 1970
   */
  void turn(long now, long time) {
    wall = time;
    seen.seconds((int) (now / 1000));
    for (int i = 0; i < servers.count(); i++) {
      if (probes[i] == null) {
        begin(i, now);
      }
      if (watches[i] != null) {
        watch(i, now);
      }
    }
    if (settings.reports()) {
      report(now);
    }
  }

  /** Forgets the servers' states, because nobody watches them any more. */
  void end() {
    for (int i = 0; i < servers.count(); i++) {
      servers.get(i).state(ServerState.UNKNOWN);
    }
  }

  private void begin(int i, long now) {
    watches[i] =
        settings.watches(servers.get(i)) ? new ServerWatch(settings.interval(), now) : null;
    probes[i] = new OptionsProbe(random);
    reports[i] = settings.reports() ? new Report(instance, settings.reportKey()) : null;
    lastReport[i] = now - 1000L * settings.reportInterval();
  }

  // ---- the servers

  private void watch(int i, long now) {
    Server server = servers.get(i);
    if (watches[i].isDue(now)) {
      InetSocketAddress to = server.address();
      if (sender.send(probes[i].next(to, to), to)) {
        count(Count.WATCH_ASKED);
        watches[i].asked(now);
      } else {
        count(Count.WATCH_BARRED);
        watches[i].event(ServerWatch.Event.BARRED, now);
      }
    }
    publish(server, watches[i].state());
    if (server.state() == ServerState.DEAD) {
      kernel.withdraw(i); // at each turn: the packet thread may just have handed one over
    }
  }

  /** Takes a datagram that came to the socket. */
  void received(ByteBuffer datagram, InetSocketAddress from, long now) {
    for (int i = 0; i < servers.count(); i++) {
      if (watches[i] != null
          && servers.get(i).address().equals(from)
          && probes[i].isAnswer(datagram, 0, datagram.limit())) {
        count(Count.WATCH_ANSWERED);
        watches[i].event(ServerWatch.Event.ANSWERED, now);
        publish(servers.get(i), watches[i].state());
        return;
      }
    }
    count(Count.WATCH_STRANGE);
  }

  private void publish(Server server, ServerState state) {
    ServerState before = server.state();
    if (before == state) {
      return;
    }
    server.state(state);
    if (state == ServerState.DEAD) {
      count(Count.SERVER_DIED);
      LOG.log(System.Logger.Level.WARNING, "server {0}: no answer, keep-alives travel on", server);
    } else if (before == ServerState.DEAD) {
      count(Count.SERVER_REVIVED);
      LOG.log(System.Logger.Level.INFO, "server {0}: answers again", server);
    }
  }

  // ---- the reports

  private void report(long now) {
    long seconds = now / 1000;
    int taken =
        seen.drain(AGENTS_A_TURN, (high, low, port, server) -> heard(high, low, port, server, now));
    taken +=
        kernel.heard(
            settings.reportInterval(),
            AGENTS_A_TURN - taken,
            (high, low, port, server) -> heard(high, low, port, server, now));
    silentRoom = AGENTS_A_TURN - taken;
    log.turn(seconds, (agent, silence) -> silent(agent, silence, now));
    for (int i = 0; i < servers.count(); i++) {
      boolean due = now - lastReport[i] >= 1000L * settings.reportInterval();
      if (reports[i].entries() > 0 || due) {
        send(i, now);
      }
    }
  }

  private void heard(long high, long low, int port, int server, long now) {
    AgentLog.Agent agent = new AgentLog.Agent(high, low, port, server);
    log.heard(agent, now / 1000);
    count(Count.REPORT_AGENTS);
    add(Report.SEEN, agent, 0, now);
  }

  private boolean silent(AgentLog.Agent agent, long silence, long now) {
    if (silentRoom-- <= 0) {
      return false;
    }
    count(Count.REPORT_SILENT);
    add(Report.SILENT, agent, silence, now);
    return true;
  }

  private void add(int kind, AgentLog.Agent agent, long seconds, long now) {
    Report report = reports[agent.server()];
    report.add(kind, agent.high(), agent.low(), agent.port(), seconds);
    if (report.isFull()) {
      send(agent.server(), now);
    }
  }

  private void send(int i, long now) {
    ByteBuffer datagram = reports[i].end(servers.get(i), ++sequence, wall);
    boolean sent = sender.send(datagram, settings.reportTo());
    count(sent ? Count.REPORT_SENT : Count.REPORT_BARRED);
    lastReport[i] = now;
  }

  // ---- counters

  private void count(Count what) {
    AtomicLong cell = counts.get(what);
    cell.setOpaque(cell.getPlain() + 1);
  }

  /** Adds the counters above zero. From any thread. */
  void counters(Map<String, Long> into) {
    counts.forEach(
        (what, cell) -> {
          if (cell.getOpaque() > 0) {
            into.put(what.name(), cell.getOpaque());
          }
        });
    if (seen.refused() > 0) {
      into.put("REPORT_QUEUE_FULL", seen.refused());
    }
  }
}
