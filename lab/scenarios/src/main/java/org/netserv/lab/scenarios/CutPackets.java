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
      attack.refused("cut at every length", host, atHost(host), HOST_FROM);
    }
    attack.refused("cut at every length", router, atRouter(router), ROUTER_FROM);
    attack.silent("answers to what was cut on the way to a router", ROUTER_FROM);
    attack.refused("registrations cut at every length", router, mail(router), MAIL_FROM);
    attack.silent("answers to registrations that were cut", MAIL_FROM);
  }

  private static CountedPackets atHost(Attacked host) {
    CountedPackets packets = new CountedPackets(host);
    for (PacketKind kind : PacketKind.all()) {
      for (int length = 0; length < kind.length(); length++) {
        byte[] cut = Arrays.copyOf(kind.whole(), length);
        if (length < kind.header()) {
          packets.broken(cut, length < SalPacket.HEADER ? "SHORT" : "HEADER_CUT");
        } else {
          packets.add(cut, isSound(kind, length) ? "verdicts/NO_FLOW" : "verdicts/MALFORMED");
        }
      }
    }
    return packets;
  }

  /** Tells whether a host finds no fault in a packet with a whole header. */
  private static boolean isSound(PacketKind kind, int length) {
    return switch (kind.transport()) {
      case SEGMENT -> length == kind.header();
      case DATA -> length >= kind.header() + SEGMENT; // TCP has its own checksum
      default -> false;
    };
  }

  private static CountedPackets atRouter(Attacked router) {
    CountedPackets packets = new CountedPackets(router);
    for (PacketKind kind : PacketKind.all()) {
      for (int length = 0; length < kind.length(); length++) {
        byte[] cut = Arrays.copyOf(kind.whole(), length);
        if (length < kind.header()) {
          packets.broken(cut, length < SalPacket.HEADER ? "SHORT" : "HEADER_CUT");
        } else {
          packets.add(cut, router(kind, length - kind.header()));
        }
      }
    }
    return packets;
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
