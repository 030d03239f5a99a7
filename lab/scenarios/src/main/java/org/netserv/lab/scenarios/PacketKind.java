// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;

/** One kind of SAL's packets, sound and for no flow of anybody. */
final class PacketKind {
  /** The bytes behind the header. */
  enum Transport {
    /** A message alone. */
    NONE,
    /** The segment of a SYN or SYN-ACK, which cannot be without. */
    SET_UP,
    /** The segment of a message that also comes without. */
    SEGMENT,
    /** A segment of TCP with some bytes. */
    DATA,
    /** A datagram to a service. */
    DATAGRAM,
    /** A datagram to the router itself. */
    OWN_MAIL
  }

  static final ServiceId ROUTER = ServiceId.parse("00015b38");

  /** No router and no host has a rule for this. */
  static final ServiceId NOBODYS = ServiceId.parse("52004999");

  private static final int FLOW = 0x5ec00001;
  private static final int OTHER = 0x5ec00002;
  private static final long NONCE = 0x0123456789abcdefL;
  private static final int BYTES = 40;
  private static final int HOPS = 4;
  private static final int NET = 0x0a4d0000; // 10.77.0.0, addresses of nobody
  private static final int VERNO = 1000;
  private static final int ACKNO = 2000;

  private final String name;
  private final Transport transport;
  private final byte[] whole;

  private PacketKind(String name, Transport transport, byte[] whole) {
    this.name = name;
    this.transport = transport;
    this.whole = whole;
  }

  String name() {
    return name;
  }

  Transport transport() {
    return transport;
  }

  /** Returns a copy of its bytes. */
  byte[] whole() {
    return whole.clone();
  }

  int length() {
    return whole.length;
  }

  /** Returns the bytes of SAL's header. */
  int header() {
    return (whole[8] & 0xff) * 4;
  }

  private static PacketKind of(String name, Transport transport, byte[] whole) {
    return new PacketKind(name, transport, whole);
  }

  /** Returns a message between two flowIDs that no host has. */
  static ControlMessage message(int flags) {
    return new ControlMessage(FLOW, OTHER, flags, 0, VERNO, ACKNO, NONCE);
  }

  /** Returns a way over routers that nobody has. */
  static Way way(boolean inHops) {
    List<Endpoint> hops = new ArrayList<>();
    for (int i = 1; i <= HOPS; i++) {
      hops.add(Endpoint.ofIpv4(NET + i, inHops ? ServalEnds.PORT : 0));
    }
    return new Way(hops, inHops);
  }

  /** Returns one packet of each kind. */
  static List<PacketKind> all() {
    ControlMessage syn = new ControlMessage(FLOW, 0, ControlFlags.SYN, 0, VERNO, 0, NONCE);
    ControlMessage both = message(ControlFlags.SYN | ControlFlags.ACK);
    List<PacketKind> all = new ArrayList<>();
    all.add(setUp("SYN", ForgedPackets.syn(syn, NOBODYS, Way.STRAIGHT)));
    all.add(setUp("SYN with SOURCE", ForgedPackets.syn(syn, NOBODYS, way(false))));
    all.add(setUp("SYN with HOPS", ForgedPackets.syn(syn, NOBODYS, way(true))));
    all.add(setUp("SYN-ACK", ForgedPackets.synAck(both, VERNO, Way.STRAIGHT)));
    all.add(setUp("SYN-ACK with SOURCE", ForgedPackets.synAck(both, VERNO, way(false))));
    byte[] third = ForgedPackets.handshake(message(ControlFlags.ACK), NOBODYS);
    all.add(of("handshake ACK", Transport.SEGMENT, third));
    all.add(of("data", Transport.DATA, ForgedPackets.data(FLOW, OTHER, BYTES)));
    all.add(alone("ACK", ControlFlags.ACK));
    all.add(alone("RSYN", ControlFlags.RSYN));
    all.add(alone("RSYN-ACK", ControlFlags.RSYN | ControlFlags.ACK));
    all.add(alone("FIN", ControlFlags.FIN));
    all.add(alone("RST", ControlFlags.RST | ControlFlags.ACK));
    byte[] datagram = ForgedPackets.datagram(NOBODYS, NOBODYS, new byte[BYTES], Way.STRAIGHT);
    all.add(of("datagram", Transport.DATAGRAM, datagram));
    all.add(of("registration", Transport.OWN_MAIL, registration()));
    return all;
  }

  /** Returns the last kind with this transport. */
  static PacketKind of(Transport transport) {
    return all().stream()
        .filter(kind -> kind.transport() == transport)
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  private static byte[] registration() {
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    new Registration(false, 1, false, ServicePrefix.of(NOBODYS), 0).put(message, 0);
    return ForgedPackets.datagram(ROUTER, NOBODYS, message.array(), Way.STRAIGHT);
  }

  private static PacketKind setUp(String name, byte[] whole) {
    return of(name, Transport.SET_UP, whole);
  }

  private static PacketKind alone(String name, int flags) {
    return of(name, Transport.NONE, ForgedPackets.message(message(flags)));
  }
}
