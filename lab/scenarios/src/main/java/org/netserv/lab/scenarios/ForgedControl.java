// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.netserv.lab.testbed.SalHost;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;

/**
 * Messages for the flow of a transfer, with its flowIDs and without its nonce, from the stranger
 * and with the address of the peer: closes, resets, moves, answers and acknowledgements. Each is
 * refused by name, and the flow stays as it is.
 */
final class ForgedControl {
  private static final String FROM = ServalAttack.STRANGER + ":40041";
  private static final ServiceId LIVE = ServiceId.parse(LiveTransfer.ID);
  private static final String REFUSES = "verdicts/FLOW_REFUSES";
  private static final int GUESSES = 20;

  /** Flags of TCP. */
  private static final int FIN = 1;

  private static final int RST = 4;
  private static final int ACK = 16;

  private static final int FLAGS = 256;
  private static final int TOGETHER =
      ControlFlags.SYN | ControlFlags.RSYN | ControlFlags.ACK | ControlFlags.RST | ControlFlags.FIN;

  private final ServalAttack attack;
  private final LiveTransfer live;
  private final Random random;

  ForgedControl(ServalAttack attack, LiveTransfer live, long seed) {
    this.attack = attack;
    this.live = live;
    random = new Random(seed);
  }

  /** A flow as its own end has it. */
  private record Known(int own, int peer, String from) {
    static Known of(JsonNode flow) {
      return new Known(
          Integer.parseUnsignedInt(flow.path("flow").asText(), 16),
          Integer.parseUnsignedInt(flow.path("peer-flow").asText(), 16),
          flow.path("peer").asText());
    }
  }

  void play(Attacked server, Attacked user) throws IOException {
    play(server, attack.ends().server, "UNEXPECTED");
    play(user, attack.ends().user, "WRONG_NONCE");
  }

  /**
   * Attacks one end.
   *
   * @param synAck the refusal of a SYN-ACK there
   */
  private void play(Attacked end, SalHost host, String synAck) throws IOException {
    String before = state(live.flow(host));
    Known flow = Known.of(live.flow(host));
    String names = live.names();
    for (String from : List.of(FROM, flow.from())) {
      boolean pretends = !from.equals(FROM);
      String whose = pretends ? " from the peer's address" : "";
      attack.refused("messages without the nonce" + whose, end, nonces(end, flow), from);
      attack.refused("answers without the nonce" + whose, end, answers(end, flow, synAck), from);
      attack.refused("flowIDs of others" + whose, end, flows(end, flow), from);
    }
    attack.refused("all flags", end, flags(end, flow), FROM);
    segments(end, flow);
    attack.silent(end.name() + ", answers to a stranger", FROM);
    attack.rows().row(end.name() + ", bytes come", true, live.grows());
    attack.rows().row(end.name() + ", the flow behind them", before, state(live.flow(host)));
    attack.rows().row(end.name() + ", names of the socket", names, live.names());
  }

  static String state(JsonNode flow) {
    return String.join(
        " ",
        flow.path("peer").asText(),
        flow.path("own").asText(),
        flow.path("flow").asText(),
        flow.path("peer-flow").asText(),
        flow.path("state").asText(),
        flow.path("move").asText());
  }

  private ControlMessage guess(int source, int destination, int flags) {
    return new ControlMessage(
        source, destination, flags, 0, random.nextInt(), random.nextInt(), random.nextLong());
  }

  private CountedPackets nonces(Attacked end, Known flow) {
    CountedPackets packets = new CountedPackets(end);
    for (int flags :
        new int[] {
          ControlFlags.RST,
          ControlFlags.RST | ControlFlags.ACK,
          ControlFlags.FIN,
          ControlFlags.FIN | ControlFlags.ACK,
          ControlFlags.FIN | ControlFlags.RSYN,
          ControlFlags.RSYN,
          ControlFlags.RSYN | ControlFlags.ACK,
          ControlFlags.ACK
        }) {
      for (int i = 0; i < GUESSES; i++) {
        byte[] message = ForgedPackets.message(guess(flow.peer(), flow.own(), flags));
        packets.add(message, "refusals/WRONG_NONCE", REFUSES);
      }
    }
    return packets;
  }

  /** Returns messages of a handshake. */
  private CountedPackets answers(Attacked end, Known flow, String synAck) {
    CountedPackets packets = new CountedPackets(end);
    for (int i = 0; i < GUESSES; i++) {
      ControlMessage answer = guess(flow.peer(), flow.own(), ControlFlags.SYN | ControlFlags.ACK);
      byte[] straight = ForgedPackets.synAck(answer, i, Way.STRAIGHT);
      packets.add(straight, "refusals/" + synAck, REFUSES);
      byte[] elsewhere = ForgedPackets.synAck(answer, i, PacketKind.way(true));
      packets.add(elsewhere, "refusals/" + synAck, REFUSES);
      ControlMessage third = guess(flow.peer(), flow.own(), ControlFlags.ACK);
      packets.add(ForgedPackets.handshake(third, LIVE), "refusals/WRONG_NONCE", REFUSES);
    }
    return packets;
  }

  private CountedPackets flows(Attacked end, Known flow) {
    CountedPackets packets = new CountedPackets(end);
    for (int i = 1; i <= GUESSES; i++) {
      byte[] fin = ForgedPackets.message(guess(flow.peer() ^ i, flow.own(), ControlFlags.FIN));
      packets.add(fin, "refusals/WRONG_FLOW", REFUSES);
      byte[] rst = ForgedPackets.message(guess(flow.peer(), flow.own() ^ i, ControlFlags.RST));
      packets.add(rst, "verdicts/NO_FLOW");
      packets.add(ForgedPackets.data(flow.peer() ^ i, flow.own(), i), "verdicts/WRONG_FLOW");
      byte[] datagram = ForgedPackets.flowDatagram(flow.peer(), flow.own(), i);
      packets.add(datagram, "verdicts/PROTOCOL");
    }
    return packets;
  }

  /** Sends ends and data of TCP whose numbers TCP does not expect, with the flow's own flowIDs. */
  private void segments(Attacked end, Known flow) throws IOException {
    List<byte[]> segments = new ArrayList<>();
    for (int flags : new int[] {RST, RST | ACK, FIN | ACK, ACK, RST | FIN | ACK, 0}) {
      for (int i = 0; i < GUESSES; i++) {
        segments.add(ForgedPackets.segment(flow.peer(), flow.own(), random.nextInt(), flags));
      }
    }
    attack.stranger().send(FROM, end.at(), segments);
    attack.stranger().send(flow.from(), end.at(), segments);
  }

  /** Returns a message of each set of flags, without a segment. */
  private CountedPackets flags(Attacked end, Known flow) {
    CountedPackets packets = new CountedPackets(end);
    for (int flags = 0; flags < FLAGS; flags++) {
      byte[] message = ForgedPackets.message(guess(flow.peer(), flow.own(), flags));
      if (ControlFlags.has(flags, ControlFlags.SYN)) {
        packets.add(message, "verdicts/MALFORMED"); // it has a segment
      } else {
        boolean sound = areSound(flags);
        packets.add(message, "refusals/" + (sound ? "WRONG_NONCE" : "FLAGS"), REFUSES);
      }
    }
    return packets;
  }

  /** Tells whether flags without SYN go together, by docs/protocols/serval.md. */
  private static boolean areSound(int flags) {
    boolean rst = (flags & ControlFlags.RST) != 0;
    boolean other = (flags & (ControlFlags.RSYN | ControlFlags.FIN)) != 0;
    return (flags & ControlFlags.NACK) == 0 && (flags & TOGETHER) != 0 && !(rst && other);
  }
}
