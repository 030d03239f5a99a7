// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.Extensions;
import org.netserv.serval.HopList;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.SourceList;
import org.netserv.serval.TicketList;
import org.netserv.serval.Way;

/**
 * Decides for a service router about one packet, and writes its new header. The router leaves the
 * IP source as it is, takes one from the TTL, and writes the target as IP destination. The caller
 * mends the checksums of IP and transport.
 */
public final class Forwarding {
  private final ServiceTable table;
  private final RandomGenerator random;
  private final Counts<ForwardVerdict> verdicts = new Counts<>("forward", ForwardVerdict.class);
  private Rule rule;

  public Forwarding(ServiceTable table, RandomGenerator random) {
    this.table = table;
    this.random = random;
  }

  /**
   * Decides about a packet that came in.
   *
   * @param packet a SYN or an unconnected datagram
   * @param destination the address to which the packet came
   * @param ttl the packet's TTL or hop limit as it came
   */
  public ForwardVerdict decide(SalPacket packet, Endpoint destination, int ttl, long now) {
    return verdicts.count(verdict(packet, destination, ttl, now));
  }

  private ForwardVerdict verdict(SalPacket packet, Endpoint destination, int ttl, long now) {
    rule = null;
    ServiceId id = Service.get(packet);
    if (id == null) {
      return ForwardVerdict.NO_SERVICE;
    }
    Resolution resolution = table.draw(id, Scope.ALL, now, random);
    if (resolution.isEmpty()) {
      return ForwardVerdict.NO_RULE;
    }
    rule = resolution.rule();
    return switch (rule.action()) {
      case DEMUX -> ForwardVerdict.DELIVER;
      case DELAY -> ForwardVerdict.HOLD;
      case DROP -> ForwardVerdict.RULE_DROPS;
      case FORWARD -> way(packet, destination, ttl);
    };
  }

  private ForwardVerdict way(SalPacket packet, Endpoint destination, int ttl) {
    Endpoint target = rule.target().address();
    if (destination.isForMany()) {
      return ForwardVerdict.BROADCAST;
    }
    if (ttl <= 1) {
      return ForwardVerdict.TTL;
    }
    if (target.isSocketOf(destination)) {
      return ForwardVerdict.ONTO_ITSELF;
    }
    boolean four = destination.isIpv4();
    if (target.isIpv4() != four || (!four && packet.has(ExtensionType.SOURCE))) {
      return ForwardVerdict.FAMILY;
    }
    if (HopList.has(packet, target) || (four && SourceList.has(packet, target.ipv4()))) {
      return ForwardVerdict.LOOP;
    }
    return isFull(packet) ? ForwardVerdict.TOO_MANY_HOPS : ForwardVerdict.FORWARD;
  }

  private static boolean isFull(SalPacket packet) {
    return SourceList.count(packet) == SourceList.MOST || HopList.count(packet) == HopList.MOST;
  }

  /** Returns the rule of the last decision, null if it had none. */
  public Rule rule() {
    return rule;
  }

  /** Returns the verdicts of all packets. */
  public Counts<ForwardVerdict> verdicts() {
    return verdicts;
  }

  /**
   * Writes the header of a packet with one more hop. All other extensions are kept as they are, in
   * their order. A packet of IPv6 has its hops in HOPS, and so has one of IPv4 that came with HOPS.
   * A packet without a list gets one at the end.
   *
   * @param sender source of the packet
   * @param hop address to which the packet came
   * @return false if the header does not fit, or the list is full
   */
  public static boolean write(SalWriter writer, SalPacket packet, Endpoint sender, Endpoint hop) {
    if (isFull(packet)) {
      return false;
    }
    boolean inHops = packet.has(ExtensionType.HOPS) || !hop.isIpv4();
    ExtensionType list = inHops ? ExtensionType.HOPS : ExtensionType.SOURCE;
    for (int at = packet.first(); at < packet.transport(); at = packet.after(at)) {
      if (packet.number(at) == list.number()) {
        append(writer, packet, inHops, sender, hop);
      } else {
        Extensions.copy(writer, packet, at);
      }
    }
    if (!packet.has(list)) {
      append(writer, packet, inHops, sender, hop);
    }
    return writer.finish().fits();
  }

  /** Writes the header of a packet that the router sends from its own address, without a ticket. */
  public static boolean writeHops(
      SalWriter writer, SalPacket packet, Endpoint client, Endpoint hop) {
    return writeHops(writer, packet, client, hop, null);
  }

  /**
   * Writes the header of a packet that the router sends from its own address. The list is HOPS in
   * both families, because an answer needs the port of the client. The client is there as the
   * router saw it, and a list in SOURCE becomes one in HOPS.
   *
   * @param ticket of this router, for a packet that {@link Way#hasAllTickets}; else null
   * @param client {@link Way#client} of the packet
   * @param hop address to which the packet came
   * @return false if the header does not fit, or the list is full
   */
  public static boolean writeHops(
      SalWriter writer, SalPacket packet, Endpoint client, Endpoint hop, Long ticket) {
    Way way = Way.get(packet);
    List<Endpoint> hops = new ArrayList<>(way.hops());
    if (hops.isEmpty()) {
      hops.add(client);
    }
    hops.set(0, client);
    hops.add(hop);
    if (hops.size() > HopList.MOST) {
      return false;
    }
    boolean written = false;
    for (int at = packet.first(); at < packet.transport(); at = packet.after(at)) {
      if (ticket != null && packet.number(at) == ExtensionType.TICKETS.number()) {
        List<Long> tickets = new ArrayList<>(way.tickets());
        tickets.add(ticket);
        TicketList.put(writer, tickets);
      } else if (!isList(packet.number(at))) {
        Extensions.copy(writer, packet, at);
      } else if (!written) {
        HopList.put(writer, hops);
        written = true;
      }
    }
    if (!written) {
      HopList.put(writer, hops);
    }
    return writer.finish().fits();
  }

  /**
   * Writes the header of a SYN-ACK for the client, with the instance alone in its list. So it is
   * shorter than its SYN was.
   *
   * @return false if the header does not fit
   */
  public static boolean writeAnswer(SalWriter writer, SalPacket packet, Endpoint instance) {
    for (int at = packet.first(); at < packet.transport(); at = packet.after(at)) {
      int number = packet.number(at);
      if (!isList(number) && number != ExtensionType.TICKETS.number()) {
        Extensions.copy(writer, packet, at);
      }
    }
    HopList.put(writer, List.of(instance));
    return writer.finish().fits();
  }

  private static boolean isList(int number) {
    return number == ExtensionType.SOURCE.number() || number == ExtensionType.HOPS.number();
  }

  private static void append(
      SalWriter writer, SalPacket packet, boolean inHops, Endpoint sender, Endpoint hop) {
    if (inHops) {
      HopList.putAppended(writer, packet, sender, hop);
    } else {
      SourceList.putAppended(writer, packet, sender.ipv4(), hop.ipv4());
    }
  }
}
