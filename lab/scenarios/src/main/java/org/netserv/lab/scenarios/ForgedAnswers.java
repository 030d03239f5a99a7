// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;

/**
 * A handshake with each wrong number in turn: SYN-ACKs for a client that waits for one, and
 * acknowledgements for a server that has answered. Neither makes a flow, and the right message is
 * taken behind them.
 */
final class ForgedAnswers {
  /** A service whose instance is the stranger. */
  private static final String ID = "00004998";

  private static final ServiceId WEB = ServiceId.parse("00004001");
  private static final String INSTANCE = ServalAttack.STRANGER + ":54325";
  private static final String ELSEWHERE = ServalAttack.STRANGER + ":40061";
  private static final String CLIENT = ServalAttack.STRANGER + ":40062";
  private static final String REFUSES = "verdicts/FLOW_REFUSES";
  private static final String MALFORMED = "verdicts/MALFORMED";
  private static final int GUESSES = 20;
  private static final int PATIENCE_MILLIS = 5000;
  private static final int LOOPBACK = 0x7f000001;
  private static final int GROUP = 0xe0000001;
  private static final int EVERYBODY = 0xffffffff;

  private final ServalAttack attack;
  private final Random random;

  ForgedAnswers(ServalAttack attack, long seed) {
    this.attack = attack;
    random = new Random(seed);
  }

  /**
   * A message that the stranger has got.
   *
   * @param sequence number of its segment
   */
  private record Got(ControlMessage message, int sequence) {
    static Got of(byte[] bytes) throws LabException {
      SalPacket packet = new SalPacket();
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      if (packet.reset(buffer, 0, bytes.length) != ServalError.OK || Control.get(packet) == null) {
        throw new LabException("the stranger has got no message");
      }
      return new Got(Control.get(packet), buffer.getInt(packet.transport() + 4));
    }
  }

  void play(Attacked server, Attacked user) throws IOException {
    toClient(user);
    toServer(server);
  }

  private Got take(String at) throws IOException {
    List<byte[]> all = attack.stranger().take(at, 1, PATIENCE_MILLIS);
    if (all.isEmpty()) {
      throw new LabException("no message has come to the stranger");
    }
    return Got.of(all.get(0));
  }

  // ---- a client that waits

  private void toClient(Attacked user) throws IOException {
    attack.ends().user.order("name name=held.serval id=" + ID);
    attack.ends().user.order("forward id=" + ID + " to=" + INSTANCE);
    attack.stranger().send(INSTANCE, ServalAttack.STRANGER + ":9", List.of()); // opens its socket
    String log = attack.stage().unique("held");
    Tool curl =
        attack.ends().user.begin(log, "curl -4 -sS -m 60 http://held.serval:8080/; echo end");
    Got syn = take(INSTANCE);
    attack.refused("answers with wrong numbers", user, answers(user, syn), INSTANCE);
    attack.refused("answers of others", user, others(user, syn), ELSEWHERE);
    JsonNode flow = ServalAttack.flow(attack.ends().user, ID);
    attack.rows().row("the client behind them", "REQUEST", flow.path("state").asText());
    ControlMessage asked = syn.message();
    ControlMessage rst =
        new ControlMessage(
            0, asked.sourceFlow(), ControlFlags.RST | ControlFlags.ACK, 0, 0, 0, asked.nonce());
    attack.stranger().send(INSTANCE, user.at(), List.of(ForgedPackets.message(rst)));
    curl.result(60);
    attack.rows().row("the client behind a good RST", true, refused(log));
    attack.ends().user.order("unforward id=" + ID);
  }

  private boolean refused(String log) {
    return attack.stage().testbed().tail(ServalEnds.USER, log, 3).contains("onnect");
  }

  private CountedPackets answers(Attacked user, Got syn) {
    CountedPackets packets = new CountedPackets(user);
    ControlMessage asked = syn.message();
    int next = asked.verno() + 1;
    for (int i = 1; i <= GUESSES; i++) {
      packets.add(answer(asked, next + i, syn.sequence()), "refusals/WRONG_ACKNO", REFUSES);
      packets.add(answer(asked, next - i, syn.sequence()), "refusals/WRONG_ACKNO", REFUSES);
      byte[] broken = answer(asked, next, syn.sequence());
      broken[broken.length - i % 20 - 1] ^= 1; // in the segment
      packets.add(broken, MALFORMED);
      ControlMessage fin = to(asked, ControlFlags.FIN, next);
      packets.add(ForgedPackets.message(fin), "refusals/UNEXPECTED", REFUSES);
      ControlMessage rsyn = to(asked, ControlFlags.RSYN, next);
      packets.add(ForgedPackets.message(rsyn), "refusals/UNEXPECTED", REFUSES);
      ControlMessage rst = to(asked, ControlFlags.RST, next);
      packets.add(ForgedPackets.message(rst), "refusals/WRONG_NONCE", REFUSES);
    }
    for (int last : new int[] {LOOPBACK, GROUP, EVERYBODY}) {
      packets.add(elsewhere(asked, next, last, false), "verdicts/SENDER");
      packets.add(elsewhere(asked, next, last, true), "verdicts/SENDER");
    }
    return packets;
  }

  private ControlMessage to(ControlMessage asked, int flags, int ackno) {
    return new ControlMessage(
        random.nextInt() | 1,
        asked.sourceFlow(),
        flags,
        0,
        random.nextInt(),
        ackno,
        random.nextLong());
  }

  private byte[] answer(ControlMessage asked, int ackno, int sequence) {
    ControlMessage answer = to(asked, ControlFlags.SYN | ControlFlags.ACK, ackno);
    return ForgedPackets.synAck(answer, sequence, Way.STRAIGHT);
  }

  /** Returns an answer that would lead the client's data to an address of many, or of itself. */
  private byte[] elsewhere(ControlMessage asked, int ackno, int last, boolean inHops) {
    int port = inHops ? ServalEnds.PORT : 0;
    Way way =
        new Way(List.of(Endpoint.ofIpv4(0x0a01000a, port), Endpoint.ofIpv4(last, port)), inHops);
    ControlMessage answer = to(asked, ControlFlags.SYN | ControlFlags.ACK, ackno);
    return ForgedPackets.synAck(answer, 0, way);
  }

  /** Returns answers of a stranger who does not see the client's packets. */
  private CountedPackets others(Attacked user, Got syn) {
    CountedPackets packets = new CountedPackets(user);
    ControlMessage asked = syn.message();
    for (int i = 1; i <= GUESSES; i++) {
      ControlMessage guess =
          new ControlMessage(
              random.nextInt() | 1,
              asked.sourceFlow() ^ i,
              ControlFlags.SYN | ControlFlags.ACK,
              0,
              random.nextInt(),
              asked.verno() + 1,
              random.nextLong());
      packets.add(ForgedPackets.synAck(guess, 0, Way.STRAIGHT), "verdicts/NO_FLOW");
      packets.add(answer(asked, random.nextInt(), 0), "refusals/WRONG_ACKNO", REFUSES);
    }
    return packets;
  }

  // ---- a server that has answered

  private void toServer(Attacked server) throws IOException {
    int number = random.nextInt() | 1;
    byte[] syn = ForgedPackets.syn(number, WEB);
    attack.stranger().send(CLIENT, server.at(), List.of(syn));
    Got answer = take(CLIENT);
    attack.refused("acknowledgements with wrong numbers", server, thirds(server, answer), CLIENT);
    attack.refused("SYNs again with other numbers", server, again(server, number), CLIENT);
    attack.rows().row("the request behind them", "RESPOND", state(answer));
    ControlMessage rst = third(answer, ControlFlags.RST | ControlFlags.ACK, number);
    attack.stranger().send(CLIENT, server.at(), List.of(ForgedPackets.message(rst)));
    ServalAttack.await(() -> state(answer).isEmpty() ? 1 : 0, 1);
    attack.rows().row("the request behind a good RST", "", state(answer));
  }

  private String state(Got answer) throws IOException {
    String id = String.format("%08x", answer.message().sourceFlow());
    for (JsonNode flow : attack.ends().server.view("flows").path("flows")) {
      if (flow.path("flow").asText().equals(id)) {
        return flow.path("state").asText();
      }
    }
    return "";
  }

  /** Returns a message of the client, whose verno and ackno are right. */
  private static ControlMessage third(Got answer, int flags, long nonce) {
    ControlMessage got = answer.message();
    return new ControlMessage(
        got.destinationFlow(), got.sourceFlow(), flags, 0, got.ackno(), got.verno() + 1, nonce);
  }

  private CountedPackets thirds(Attacked server, Got answer) {
    CountedPackets packets = new CountedPackets(server);
    ControlMessage got = answer.message();
    long nonce = got.destinationFlow();
    for (int i = 1; i <= GUESSES; i++) {
      ControlMessage other = third(answer, ControlFlags.ACK, nonce ^ i);
      packets.add(ForgedPackets.handshake(other, WEB), "refusals/WRONG_NONCE", REFUSES);
      ControlMessage acked =
          new ControlMessage(
              got.destinationFlow(),
              got.sourceFlow(),
              ControlFlags.ACK,
              0,
              got.ackno(),
              got.verno() + 1 + (i % 2 == 0 ? i : -i),
              nonce);
      packets.add(ForgedPackets.handshake(acked, WEB), "refusals/WRONG_ACKNO", REFUSES);
      ControlMessage old =
          new ControlMessage(
              got.destinationFlow(),
              got.sourceFlow(),
              ControlFlags.ACK,
              0,
              got.ackno() - i,
              got.verno() + 1,
              nonce);
      packets.add(ForgedPackets.handshake(old, WEB), "refusals/STALE", REFUSES);
      byte[] broken = ForgedPackets.handshake(third(answer, ControlFlags.ACK, nonce), WEB);
      broken[broken.length - i] ^= 1;
      packets.add(broken, MALFORMED);
    }
    return packets;
  }

  private static CountedPackets again(Attacked server, int number) {
    CountedPackets packets = new CountedPackets(server);
    for (int i = 1; i <= GUESSES; i++) {
      ControlMessage stale =
          new ControlMessage(number, 0, ControlFlags.SYN, 0, number * 31 + i, 0, number);
      byte[] syn = ForgedPackets.syn(stale, WEB, Way.STRAIGHT);
      packets.add(syn, "refusals/STALE", REFUSES);
    }
    return packets;
  }
}
