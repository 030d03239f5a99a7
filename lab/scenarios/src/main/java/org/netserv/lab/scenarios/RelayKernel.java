// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.netserv.lab.testbed.KernelMaps;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.Datagram;
import org.netserv.lab.testbed.tool.RelayLoad;

/**
 * Channels that coturn's own client has bound, in the kernel. All four ends are captured: what the
 * client sends, what the peer gets, what the peer sends back, and what the client gets.
 *
 * <pre>
 *   user --- ChannelData ---> [ kernel ] --- data ---> peer
 *   user <-- ChannelData ---- [ kernel ] <-- data ---- peer
 * </pre>
 *
 * <p>Whatever the peer has got and the kernel has not relayed was relayed by the module. The
 * module's own counter, which it logs at its end, must be exactly this.
 */
final class RelayKernel {
  private static final String USER = "user";
  private static final String PEER = "peer";
  private static final String NODE = "node";
  private static final String SERVER = "198.51.101.1";
  private static final String SERVER_6 = "2001:db8:2::1";
  private static final String USER_6 = "2001:db8:2::10";
  private static final String PEER_4 = "203.0.113.10";
  private static final String PEER_6 = "2001:db8:3::10";
  private static final int TURN = 3478;
  private static final int MIRROR = 3480;
  private static final int CHANNEL_FIRST = 0x40;
  private static final int CHANNEL_LAST = 0x7f;
  private static final int HEADER = 4;
  private static final int LENGTH = 160;
  private static final int CLIENTS = 4;
  private static final int PERMISSION_SECONDS = 300;
  private static final int WAYS = 2; // entries of a channel, one for each direction
  private static final double KERNEL_LEAST = 0.9;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Stage stage;
  private final Testbed testbed;
  private final String secret;
  private long atPeer;
  private long toPeer;

  /**
   * A pair of families.
   *
   * @param name of the client's leg and of the peer's
   * @param server address at which the client reaches the relay
   * @param peer the peer's address
   * @param options of {@code turnutils_uclient}
   */
  private record Pair(String name, String server, String peer, List<String> options) {}

  private static final List<Pair> PAIRS =
      List.of(
          new Pair("IPv4, IPv4", SERVER, PEER_4, List.of()),
          new Pair("IPv4, IPv6", SERVER, PEER_6, List.of("-x")),
          new Pair("IPv6, IPv6", SERVER_6, PEER_6, List.of("-x", "-L", USER_6)),
          new Pair("IPv6, IPv4", SERVER_6, PEER_4, List.of("-L", USER_6)));

  RelayKernel(Stage stage, String secret) {
    this.stage = stage;
    this.testbed = stage.testbed();
    this.secret = secret;
  }

  /** Gives the hosts cards: the kernel's relay takes packets without a checksum for unfinished. */
  void wholeChecksums() throws IOException {
    for (String host : List.of(USER, PEER)) {
      VethCard.of(testbed, host).addsChecksums().takesRedirected();
    }
  }

  /** Returns the packets that the kernel has relayed to peers. */
  private long counter(String name) throws IOException {
    return Stage.counter(stage.counters(), name);
  }

  /** Returns the entries of relays in the kernel's maps. */
  long entries() throws IOException {
    return KernelMaps.of(testbed, NODE, "ns_relays").entries();
  }

  /** Has coturn's client talk by channels, a row for each pair of families. */
  boolean channels(boolean quick, int messages) throws IOException {
    ResultTable table =
        new ResultTable(
            "client, peer", "sent", "peer got", "of it by the kernel", "back", "changed", "");
    boolean holds = true;
    for (Pair pair : quick ? PAIRS.subList(0, 1) : PAIRS) {
      holds &= row(table, pair, messages);
    }
    stage.show(table);
    return holds;
  }

  private boolean row(ResultTable table, Pair pair, int messages) throws IOException {
    long before = counter("relay-to-peer");
    long beforeBack = counter("relay-to-client");
    String name = stage.unique("pair");
    Capture near = Capture.start(testbed, USER, "eth0", "near-" + name, "udp port " + TURN);
    Capture far = Capture.start(testbed, PEER, "eth0", "far-" + name, "udp port " + MIRROR);
    List<String> command =
        new ArrayList<>(
            List.of(
                "timeout",
                "60",
                "turnutils_uclient",
                "-c",
                "-n",
                "" + messages,
                "-m",
                "" + CLIENTS,
                "-z",
                "5",
                "-l",
                "" + LENGTH,
                "-e",
                pair.peer(),
                "-r",
                "" + MIRROR,
                "-u",
                "user",
                "-W",
                secret));
    command.addAll(pair.options());
    command.add(pair.server());
    testbed.run(USER, command.toArray(String[]::new));
    Wire wire = new Wire(near.datagrams(), far.datagrams());
    long kernel = counter("relay-to-peer") - before;
    long kernelBack = counter("relay-to-client") - beforeBack;
    atPeer += wire.peerGot.size();
    toPeer += kernel;
    int sent = CLIENTS * messages;
    int changed = wire.changed();
    boolean holds =
        wire.sent.size() >= sent
            && wire.peerGot.size() == wire.sent.size()
            && wire.userGot.size() == wire.sent.size()
            && changed == 0
            && kernel <= wire.peerGot.size()
            && kernel >= KERNEL_LEAST * wire.peerGot.size()
            && kernelBack >= KERNEL_LEAST * wire.userGot.size();
    table.row(
        pair.name(),
        wire.sent.size(),
        wire.peerGot.size(),
        kernel,
        wire.userGot.size(),
        changed,
        holds ? "ok" : "FAILED");
    return holds;
  }

  /** The data in the packets at the four ends, sorted. */
  private static final class Wire {
    private final List<String> sent = new ArrayList<>();
    private final List<String> peerGot = new ArrayList<>();
    private final List<String> peerSent = new ArrayList<>();
    private final List<String> userGot = new ArrayList<>();

    private Wire(List<Datagram> near, List<Datagram> far) {
      for (Datagram one : near) {
        if (isChannelData(one.payload())) {
          (one.destination().endsWith(":" + TURN) ? sent : userGot).add(data(one.payload()));
        }
      }
      for (Datagram one : far) {
        (one.destination().endsWith(":" + MIRROR) ? peerGot : peerSent).add(one.payload());
      }
      List.of(sent, peerGot, peerSent, userGot).forEach(Collections::sort);
    }

    private static boolean isChannelData(String payload) {
      return payload.length() >= HEADER
          && payload.charAt(0) >= CHANNEL_FIRST
          && payload.charAt(0) <= CHANNEL_LAST;
    }

    private static String data(String payload) {
      int length = payload.charAt(2) << 8 | payload.charAt(3);
      return payload.substring(HEADER, Math.min(payload.length(), HEADER + length));
    }

    /** Returns the packets that came at one end and did not leave at the other. */
    private int changed() {
      return different(sent, peerGot) + different(peerSent, userGot);
    }

    private static int different(List<String> left, List<String> came) {
      List<String> rest = new ArrayList<>(came);
      left.forEach(rest::remove);
      return rest.size();
    }
  }

  /** Starts clients with a channel each that send nothing and never refresh. */
  Tool hold(String server, int clients) throws IOException {
    long before = entries();
    Tool holder =
        Tool.start(
            testbed,
            USER,
            stage.unique("hold"),
            RelayLoad.class,
            server,
            TURN,
            secret,
            PEER_4,
            MIRROR,
            clients,
            0,
            LENGTH,
            0,
            0);
    holder.await("holding");
    Wait.until(
        "the channels in the kernel", PATIENCE, () -> entries() == before + (long) WAYS * clients);
    return holder;
  }

  /**
   * Lets allocations that nobody refreshes expire. Nothing of them may stay in the kernel.
   *
   * @param seconds their lifetime
   */
  boolean expiry(int clients, int seconds) throws IOException {
    long before = entries();
    hold(SERVER, clients).process().destroy();
    long full = entries();
    Wait.pause(1000L * (seconds + 1));
    return gone("allocations of " + seconds + " s over", full, before);
  }

  /** Channels whose permissions nobody prolongs, and the time when they were bound. */
  record Held(int clients, long endedBefore, long begun) {}

  /** Binds channels for {@link #permissionsOver}. */
  Held permitted(int clients) throws IOException {
    long ended = counter("relay-ended-time");
    hold(SERVER, clients).process().destroy();
    return new Held(clients, ended, System.nanoTime());
  }

  /** Waits until the permissions are over, 5 min. The kernel must have ended each channel then. */
  boolean permissionsOver(Held held) throws IOException {
    Duration over = Duration.ofSeconds(PERMISSION_SECONDS).plus(PATIENCE);
    Wait.until(
        "the permissions to end",
        over.minusNanos(System.nanoTime() - held.begun()).plus(PATIENCE),
        () -> counter("relay-ended-time") - held.endedBefore() >= held.clients());
    long ended = counter("relay-ended-time") - held.endedBefore();
    boolean holds = ended >= held.clients();
    ResultTable table = new ResultTable("permissions of 300 s over", "ended in the kernel", "");
    table.row(held.clients(), ended, holds ? "ok" : "FAILED");
    stage.show(table);
    return holds;
  }

  /** Has the module removed while channels are in the kernel. */
  boolean removed(int clients, Removal removal) throws IOException {
    Tool holder = hold(SERVER, clients);
    long full = entries();
    removal.remove();
    boolean holds = gone("REMOVE", full, 0);
    holder.process().destroy();
    return holds;
  }

  /** Takes the module away. */
  interface Removal {
    void remove() throws IOException;
  }

  private boolean gone(String what, long full, long others) throws IOException {
    long left = entries();
    ResultTable table = new ResultTable("", "entries before", "entries after", "");
    boolean holds = full > others && left == others;
    table.row(what, full, left, holds ? "ok" : "FAILED");
    stage.show(table);
    return holds;
  }

  /**
   * Compares the module's own count of packets to peers with what is missing in the kernel's. When
   * the module has started anew, and has logged its counters.
   */
  boolean agrees() throws IOException {
    long own = RelayLog.of(testbed).last("TO_PEER");
    boolean holds = own == atPeer - toPeer;
    ResultTable table =
        new ResultTable("peer got", "by the kernel", "by the module, its counter", "");
    table.row(atPeer, toPeer, own, holds ? "ok" : "FAILED");
    stage.show(table);
    return holds;
  }
}
