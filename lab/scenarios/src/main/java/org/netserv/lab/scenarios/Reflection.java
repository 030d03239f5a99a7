// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;

/**
 * Questions from addresses that have proven nothing. An address gets no answer that is longer than
 * its question, and one answer alone, but for the SYN-ACKs that TCP repeats. An address that a list
 * of hops names gets none.
 */
final class Reflection {
  private static final ServiceId WEB = ServiceId.parse("00004001");
  private static final String NAMED = ServalAttack.STRANGER + ":40100";
  private static final Endpoint NAMED_HOP = Endpoint.ofIpv4(0xc633640a, 40100);
  private static final int FIRST_PORT = 40101;
  private static final int PORTS = 100; // of each victim
  private static final int FLOW = 0x5ec10000;
  private static final int SHORT = 8; // bytes of a flow's datagrams, at most

  private static final int WAIT_MILLIS = 700;

  /** A host keeps so many requests, whose SYN-ACKs TCP repeats, docs/protocols/sald.md. */
  private static final int REQUESTS = 256;

  private static final int REPEATS = 5;
  private static final int SYNS = 4000;

  private final ServalAttack attack;
  private int first = FIRST_PORT;

  Reflection(ServalAttack attack) {
    this.attack = attack;
  }

  void play(Attacked server, Attacked router, boolean whole) throws IOException {
    attack.stranger().send(NAMED, ServalAttack.STRANGER + ":9", List.of()); // opens its socket
    play(server, hostQuestions());
    play(router, routerQuestions());
    attack.silent("answers to an address that only lists name", NAMED);
    if (whole) {
      flood(server);
    }
  }

  private Map<String, byte[]> hostQuestions() {
    Map<String, byte[]> all = new TreeMap<>();
    ControlMessage syn =
        new ControlMessage(FLOW, 0, ControlFlags.SYN, 0, 1, 0, 0x5ec1_5ec1_5ec1_5ec1L);
    all.put("SYN", ForgedPackets.syn(syn, WEB, Way.STRAIGHT));
    Way named = new Way(List.of(NAMED_HOP, NAMED_HOP), true);
    ControlMessage other =
        new ControlMessage(FLOW + 1, 0, ControlFlags.SYN, 0, 1, 0, 0x5ec1_5ec1_5ec1_5ec2L);
    all.put("SYN with hops", ForgedPackets.syn(other, WEB, named));
    all.put(
        "datagram with hops", ForgedPackets.datagram(PacketKind.NOBODYS, WEB, new byte[1], named));
    for (PacketKind kind : PacketKind.all()) {
      all.put("unknown " + kind.name(), kind.whole());
    }
    for (int length = 0; length <= SHORT; length++) {
      all.put("unknown datagram of " + length, ForgedPackets.flowDatagram(FLOW, FLOW + 9, length));
    }
    all.put("unknown data without bytes", ForgedPackets.data(FLOW, FLOW + 9, 0));
    return all;
  }

  private static Map<String, byte[]> routerQuestions() {
    Map<String, byte[]> all = new TreeMap<>();
    for (PacketKind kind : PacketKind.all()) {
      all.put(kind.name(), kind.whole());
    }
    all.put("ASK", message(2, 100));
    all.put("REGISTER", message(4, 260));
    all.put("REFRESH", message(6, 56));
    Way named = new Way(List.of(NAMED_HOP, NAMED_HOP), true);
    byte[] ask = new byte[100];
    ByteBuffer.wrap(ask).put((byte) 2).put((byte) 0).putShort((short) 100);
    all.put("ASK with hops", ForgedPackets.datagram(PacketKind.ROUTER, WEB, ask, named));
    return all;
  }

  private static byte[] message(int type, int length) {
    byte[] payload = new byte[length];
    ByteBuffer.wrap(payload).put((byte) type).put((byte) 0).putShort((short) length);
    return ForgedPackets.datagram(PacketKind.ROUTER, WEB, payload, Way.STRAIGHT);
  }

  /** Sends each question from a port of its own, and compares each with what comes back. */
  private void play(Attacked victim, Map<String, byte[]> questions) throws IOException {
    first += PORTS; // answers that TCP repeats are still to come
    int port = first;
    for (byte[] question : questions.values()) {
      attack.stranger().send(from(port++), victim.at(), List.of(question));
    }
    Wait.pause(WAIT_MILLIS);
    List<String> longer = new ArrayList<>();
    List<String> several = new ArrayList<>();
    int answered = 0;
    port = first;
    for (Map.Entry<String, byte[]> each : questions.entrySet()) {
      List<byte[]> answers = attack.stranger().take(from(port++), Integer.MAX_VALUE, 0);
      answered += answers.isEmpty() ? 0 : 1;
      if (answers.size() > (each.getKey().startsWith("SYN") ? 1 + REPEATS : 1)) {
        several.add(each.getKey());
      }
      if (answers.stream().anyMatch(answer -> answer.length > each.getValue().length)) {
        longer.add(each.getKey());
      }
    }
    attack.rows().row(victim.name() + ", answers longer than their questions", "[]", longer);
    attack.rows().row(victim.name() + ", questions with several answers", "[]", several);
    attack.rows().row(victim.name() + ", any answers", true, answered > 0);
  }

  private static String from(int port) {
    return ServalAttack.STRANGER + ":" + port;
  }

  /** Sends SYNs, and compares all bytes until TCP repeats no more. */
  private void flood(Attacked server) throws IOException {
    List<byte[]> syns = new ArrayList<>();
    for (int i = 1; i <= SYNS; i++) {
      syns.add(ForgedPackets.syn(FLOW + 1000 + i, WEB));
    }
    String from = from(FIRST_PORT - 2);
    attack.stranger().send(from, server.at(), syns);
    Wait.pause(35_000);
    List<byte[]> answers = attack.stranger().take(from, Integer.MAX_VALUE, 0);
    long asked = syns.stream().mapToLong(syn -> syn.length).sum();
    long came = answers.stream().mapToLong(answer -> answer.length).sum();
    attack.rows().row("answers to " + SYNS + " SYNs, any", true, answers.size() > REQUESTS);
    attack.rows().row("most answers", true, answers.size() <= SYNS + REQUESTS * REPEATS);
    attack.rows().row("bytes of the answers, at most those of the SYNs", true, came <= asked);
  }
}
