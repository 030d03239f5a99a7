// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.random.RandomGenerator;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.Extensions;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.SourceList;

/**
 * Decides for a service router about one packet, and writes its new header. The router leaves the
 * IP source as it is, takes one from the TTL, and writes the target as IP destination. The caller
 * mends the checksums of IP and transport.
 */
public final class Forwarding {
  private final ServiceTable table;
  private final RandomGenerator random;
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
    if (!target.isIpv4() || !destination.isIpv4()) {
      return ForwardVerdict.FAMILY;
    }
    if (SourceList.has(packet, target.ipv4())) {
      return ForwardVerdict.LOOP;
    }
    return SourceList.count(packet) == SourceList.MOST
        ? ForwardVerdict.TOO_MANY_HOPS
        : ForwardVerdict.FORWARD;
  }

  /** Returns the rule of the last decision, null if it had none. */
  public Rule rule() {
    return rule;
  }

  /**
   * Writes the header of a packet with one more hop in SOURCE. All other extensions are kept as
   * they are, in their order. A packet without SOURCE gets one at the end.
   *
   * @param sender IPv4 source of the packet
   * @param hop IPv4 address to which the packet came
   * @return false if the header does not fit
   */
  public static boolean write(SalWriter writer, SalPacket packet, int sender, int hop) {
    boolean appended = !packet.has(ExtensionType.SOURCE);
    for (int at = packet.first(); at < packet.transport(); at = packet.after(at)) {
      if (packet.number(at) != ExtensionType.SOURCE.number()) {
        Extensions.copy(writer, packet, at);
      } else if (!SourceList.putAppended(writer, packet, sender, hop)) {
        return false;
      }
    }
    if (appended) {
      SourceList.putAppended(writer, packet, sender, hop);
    }
    return writer.finish().fits();
  }
}
