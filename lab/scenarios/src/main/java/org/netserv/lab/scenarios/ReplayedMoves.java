// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.Datagram;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;

/**
 * Moves of the transfer's client on a path with an attacker: it holds the RSYNs of several moves
 * back, and lets them go in another order and several times. Another one replays what it has seen,
 * also from elsewhere. The flow settles at the last address.
 */
final class ReplayedMoves {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String[] ADDRESSES = {"10.1.0.11", "10.1.0.12", "10.1.0.13"};
  private static final String FROM = ServalAttack.STRANGER + ":40051";
  private static final String STALE = "refusals/STALE";
  private static final int COPIES = 3;

  /** Control messages alone: their header has more than three words. */
  private static final String FILTER = "udp dst port 54325 and udp[16] > 3";

  private static final String HOLD =
      "add table ip hold; add chain ip hold f { type filter hook forward priority 0; };"
          + " add rule ip hold f ip daddr "
          + ServalAttack.SERVER
          + " udp dport 54325 @th,128,8 != 3 drop";

  private final ServalAttack attack;
  private final LiveTransfer live;
  private final Testbed testbed;
  private final Random random;
  private int rounds;

  ReplayedMoves(ServalAttack attack, LiveTransfer live, long seed) {
    this.attack = attack;
    this.live = live;
    testbed = attack.stage().testbed();
    random = new Random(seed);
  }

  /** A message that the attacker has seen, and its sender. */
  private static final class Seen {
    private final String from;
    private final byte[] bytes;
    private final int verno;

    private Seen(String from, byte[] bytes, int verno) {
      this.from = from;
      this.bytes = bytes;
      this.verno = verno;
    }

    private int verno() {
      return verno;
    }
  }

  /**
   * Plays rounds of moves, each in another order.
   *
   * @param most of the rounds
   */
  void play(Attacked server, int most) throws IOException {
    for (String address : ADDRESSES) {
      testbed.run("user", "ip", "address", "add", address + "/24", "dev", "eth0");
      attack.stranger().pretend(address);
    }
    String names = live.names();
    List<Seen> all = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      all.addAll(held(i));
    }
    replayed(server, all);
    attack.rows().row("moves, names of the socket", names, live.names());
    attack.rows().row("moves, bytes come", true, live.grows());
  }

  /** Moves the client three times while the attacker holds its messages, and lets these go. */
  private List<Seen> held(int round) throws IOException {
    String flow = live.flow(attack.ends().user).path("flow").asText();
    List<String> way = new ArrayList<>(List.of(ADDRESSES));
    Collections.rotate(way, ++rounds);
    testbed.run(ServalRouters.FAR, "nft", HOLD);
    Capture capture = Capture.start(testbed, ServalRouters.FAR, "mid", "moves-" + rounds, FILTER);
    for (String address : way) {
      attack.ends().user.order("migrate flow=" + flow + " address=" + address);
    }
    String last = way.get(way.size() - 1);
    List<Seen> moves = moves(capture, flow);
    attack.rows().row("moves held back, by the attacker", way.size(), vernos(moves));
    attack
        .rows()
        .row("while they are held, the server's peer", true, !peer().startsWith(last + ":"));
    release(moves, round);
    testbed.run(ServalRouters.FAR, "nft", "delete table ip hold");
    ServalAttack.await(() -> isSettled(last) ? 1 : 0, 1);
    attack.rows().row("moves let go " + order(round) + ", the peer", last, peer().split(":", 2)[0]);
    return moves;
  }

  private String peer() throws IOException {
    return live.flow(attack.ends().server).path("peer").asText();
  }

  private boolean isSettled(String address) throws IOException {
    boolean there = peer().startsWith(address + ":");
    return there
        && live.flow(attack.ends().server).path("move").asText().equals("SETTLED")
        && live.flow(attack.ends().user).path("move").asText().equals("SETTLED");
  }

  private static String order(int round) {
    return List.of("last first", "at random", "first first").get(round % 3);
  }

  /** Ends the capture, and returns the RSYNs of a flow in their order. */
  private List<Seen> moves(Capture capture, String flow) throws IOException {
    int id = Integer.parseUnsignedInt(flow, 16);
    List<Seen> moves = new ArrayList<>();
    for (Datagram datagram : capture.datagrams()) {
      byte[] bytes = datagram.payload().getBytes(StandardCharsets.ISO_8859_1);
      SalPacket packet = new SalPacket();
      boolean sound = packet.reset(ByteBuffer.wrap(bytes), 0, bytes.length) == ServalError.OK;
      if (sound && packet.sourceFlow() == id && Control.flags(packet) == ControlFlags.RSYN) {
        moves.add(new Seen(text(datagram.source()), bytes, Control.get(packet).verno()));
      }
    }
    if (moves.isEmpty()) {
      throw new LabException("the attacker has seen no move");
    }
    return moves;
  }

  /** Returns ADDRESS:PORT of hexadecimal digits and a port. */
  private static String text(String source) {
    String[] parts = source.split(":", 2);
    byte[] ip = HexFormat.of().parseHex(parts[0]);
    return (ip[0] & 0xff)
        + "."
        + (ip[1] & 0xff)
        + "."
        + (ip[2] & 0xff)
        + "."
        + (ip[3] & 0xff)
        + ":"
        + parts[1];
  }

  private static long vernos(List<Seen> moves) {
    return moves.stream().map(Seen::verno).distinct().count();
  }

  private void release(List<Seen> moves, int round) throws IOException {
    List<Seen> order = new ArrayList<>();
    for (int i = 0; i < COPIES; i++) {
      order.addAll(moves);
    }
    if (round % 3 == 0) {
      Collections.reverse(order);
    } else if (round % 3 == 1) {
      Collections.shuffle(order, random);
    }
    for (Seen seen : order) {
      attack.stranger().send(seen.from, ServalAttack.AT_SERVER, List.of(seen.bytes));
    }
  }

  /** Replays all moves, which are over, from their senders and from elsewhere. */
  private void replayed(Attacked server, List<Seen> moves) throws IOException {
    Wait.until("the moves to be over", PATIENCE, () -> settled().equals("SETTLED SETTLED"));
    String before = ForgedControl.state(live.flow(attack.ends().server));
    Collections.shuffle(moves, random);
    CountedPackets elsewhere = new CountedPackets(server);
    moves.forEach(seen -> elsewhere.add(seen.bytes, STALE, "verdicts/FLOW_REFUSES"));
    attack.refused("moves replayed from elsewhere", server, elsewhere, FROM);
    attack.silent("answers to a stranger's replays", FROM);
    Map<String, Long> counters = server.counters();
    for (Seen seen : moves) {
      attack.stranger().send(seen.from, ServalAttack.AT_SERVER, List.of(seen.bytes));
    }
    ServalAttack.await(() -> stale(server, counters), moves.size());
    attack.rows().row("moves replayed from their senders", moves.size(), stale(server, counters));
    String after = ForgedControl.state(live.flow(attack.ends().server));
    attack.rows().row("the flow behind the replays", before, after);
  }

  private static long stale(Attacked server, Map<String, Long> before) throws IOException {
    return ServalAttack.difference(server.counters(), before, STALE);
  }

  private String settled() throws IOException {
    return live.flow(attack.ends().server).path("move").asText()
        + " "
        + live.flow(attack.ends().user).path("move").asText();
  }
}
