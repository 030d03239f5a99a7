// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.netserv.serval.SalPacket;
import org.netserv.serval.Way;
import org.netserv.serval.endpoint.UdpHeader;

/**
 * Each kind of packet, cut at every length, at a host and at a router, and each message of a
 * registration. The cause follows from the length alone.
 */
final class CutPackets {
  private static final String HOST_FROM = ServalAttack.STRANGER + ":40021";
  private static final String ROUTER_FROM = ServalAttack.STRANGER + ":40022";
  private static final String MAIL_FROM = ServalAttack.STRANGER + ":40023";
  private static final String NO_MESSAGE = "REGISTRATION_NO_MESSAGE";

  /** Types and lengths of the messages of a host, docs/protocols/serval.md. */
  private static final int[][] MESSAGES = {{0, 48}, {2, 100}, {4, 260}, {6, 56}};

  private static final int SEGMENT = 20;

  private final ServalAttack attack;

  CutPackets(ServalAttack attack) {
    this.attack = attack;
  }

  void play(List<Attacked> hosts, Attacked router) throws IOException {
    for (Attacked host : hosts) {
      attack.refused("cut at every length", host, cut(host, CutPackets::host), HOST_FROM);
    }
    attack.refused("cut at every length", router, cut(router, CutPackets::router), ROUTER_FROM);
    attack.silent("answers to what was cut on the way to a router", ROUTER_FROM);
    attack.refused("registrations cut at every length", router, mail(router), MAIL_FROM);
    attack.silent("answers to registrations that were cut", MAIL_FROM);
  }

  /** Returns all packets, cut. The causes behind a whole header are those of the victim. */
  private static CountedPackets cut(Attacked victim, Behind behind) {
    CountedPackets packets = new CountedPackets(victim);
    for (PacketKind kind : PacketKind.all()) {
      for (int length = 0; length < kind.length(); length++) {
        byte[] cut = Arrays.copyOf(kind.whole(), length);
        if (length < kind.header()) {
          packets.broken(cut, length < SalPacket.HEADER ? "SHORT" : "HEADER_CUT");
        } else {
          packets.add(cut, behind.counter(kind, length - kind.header()));
        }
      }
    }
    return packets;
  }

  /** Names the counter of a packet with a whole header and so many bytes behind it. */
  private interface Behind {
    String counter(PacketKind kind, int length);
  }

  private static String host(PacketKind kind, int behind) {
    return isSound(kind, behind) ? "verdicts/NO_FLOW" : "verdicts/MALFORMED";
  }

  /** Tells whether a host finds no fault in a packet with a whole header. */
  private static boolean isSound(PacketKind kind, int behind) {
    return switch (kind.transport()) {
      case SEGMENT -> behind == 0;
      case DATA -> behind >= SEGMENT; // TCP has its own checksum
      default -> false;
    };
  }

  /** Returns the counter of a router, which does not look behind the header of others. */
  private static String router(PacketKind kind, int behind) {
    boolean syn = kind.name().startsWith("SYN") && !kind.name().startsWith("SYN-ACK");
    if (kind.transport() == PacketKind.Transport.OWN_MAIL) {
      return behind < UdpHeader.LENGTH ? NO_MESSAGE : "REGISTRATION_CHECKSUM";
    }
    return syn || kind.transport() == PacketKind.Transport.DATAGRAM
        ? "FORWARD_NO_RULE"
        : "ROUTER_FLOW";
  }

  /** Returns messages of registrations that are too short, in datagrams that are sound. */
  private static CountedPackets mail(Attacked router) {
    CountedPackets packets = new CountedPackets(router);
    for (int[] message : MESSAGES) {
      byte[] whole = new byte[message[1]];
      whole[0] = (byte) message[0];
      whole[2] = (byte) (message[1] >>> 8);
      whole[3] = (byte) message[1];
      for (int length = 0; length < whole.length; length++) {
        packets.add(mail(Arrays.copyOf(whole, length)), NO_MESSAGE);
      }
    }
    return packets;
  }

  private static byte[] mail(byte[] payload) {
    return ForgedPackets.datagram(PacketKind.ROUTER, PacketKind.NOBODYS, payload, Way.STRAIGHT);
  }
}
