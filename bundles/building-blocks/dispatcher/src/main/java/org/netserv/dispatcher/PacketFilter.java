// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import org.netserv.packet.Packet;

/**
 * Selects the packets that a module sees. The node's firewall delivers the packets of all modules
 * of a publisher, and this filter tells the modules' packets apart again. Immutable. {@link
 * #matches} allocates nothing.
 */
public final class PacketFilter {
  private static final int SYN_ACK = 0x12;
  private static final int SYN = 0x02;

  private final int family;
  private final int protocol;
  private final PrefixBits source;
  private final PrefixBits destination;
  private final Ports sourcePorts;
  private final Ports destinationPorts;
  private final boolean sampled;
  private final boolean synOnly;
  private final PacketProgram program;

  private PacketFilter(
      int family,
      int protocol,
      PrefixBits source,
      PrefixBits destination,
      Ports sourcePorts,
      Ports destinationPorts,
      boolean sampled,
      boolean synOnly,
      PacketProgram program) {
    this.family = family;
    this.protocol = protocol;
    this.source = source;
    this.destination = destination;
    this.sourcePorts = sourcePorts;
    this.destinationPorts = destinationPorts;
    this.sampled = sampled;
    this.synOnly = synOnly;
    this.program = program;
  }

  /**
   * A filter; null for a prefix or a port range means any.
   *
   * @param family 4 or 6
   * @param protocol 0 = any
   * @param sample above 0: sees copies only; the rate is the firewall's business
   * @throws IllegalArgumentException that names the field
   */
  public static PacketFilter of(
      int family,
      int protocol,
      String source,
      String destination,
      String sourcePorts,
      String destinationPorts,
      int sample,
      boolean synOnly) {
    if (family != 4 && family != 6) {
      throw new IllegalArgumentException("family is 4 or 6, not " + family);
    }
    if (protocol < 0 || protocol > 255) {
      throw new IllegalArgumentException("protocol is 0-255, not " + protocol);
    }
    if (sample < 0) {
      throw new IllegalArgumentException("sample is not negative: " + sample);
    }
    return new PacketFilter(
        family,
        protocol,
        prefix("source", source, family),
        prefix("destination", destination, family),
        ports("sourcePorts", sourcePorts),
        ports("destinationPorts", destinationPorts),
        sample > 0,
        synOnly,
        null);
  }

  /**
   * Returns the same filter with a program that must match, too.
   *
   * @param match {@code code:yes:no:operand,...}, or null for none
   * @throws IllegalArgumentException that names the instruction
   */
  public PacketFilter with(String match) {
    return match == null
        ? this
        : new PacketFilter(
            family,
            protocol,
            source,
            destination,
            sourcePorts,
            destinationPorts,
            sampled,
            synOnly,
            PacketProgram.parse(match));
  }

  /** Tells whether the module sees this packet. */
  public boolean matches(Packet packet) {
    return packet.isSample() == sampled
        && isAbout(packet)
        && (!synOnly || (packet.tcpFlags() & SYN_ACK) == SYN)
        && (program == null || program.matches(packet));
  }

  /** Tells whether the packet's flow is this filter's, even if the packet itself is not. */
  boolean isAbout(Packet packet) {
    return packet.family() == family
        && (protocol == 0 || packet.protocol() == protocol)
        && (destinationPorts == null || destinationPorts.contains(packet.destinationPort()))
        && (sourcePorts == null || sourcePorts.contains(packet.sourcePort()))
        && (destination == null
            || destination.contains(packet.destinationHigh(), packet.destinationLow()))
        && (source == null || source.contains(packet.sourceHigh(), packet.sourceLow()));
  }

  /** Returns a packet that matches, for warming up. */
  Packet example(byte[] payload) {
    String any = family == 4 ? "192.0.2.1" : "2001:db8::1";
    return Example.of(
        family,
        protocol,
        source == null ? any : source.first(),
        sourcePorts == null ? 5060 : sourcePorts.first(),
        destination == null ? any : destination.first(),
        destinationPorts == null ? 5060 : destinationPorts.first(),
        payload);
  }

  boolean isSampled() {
    return sampled;
  }

  /** Tells whether the filter takes only some packets of a flow. */
  boolean isPartial() {
    return sampled || synOnly || program != null;
  }

  private static PrefixBits prefix(String field, String text, int family) {
    try {
      return text == null ? null : PrefixBits.parse(text, family);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(field + ": " + e.getMessage(), e);
    }
  }

  private static Ports ports(String field, String text) {
    try {
      return text == null ? null : Ports.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(field + ": " + e.getMessage(), e);
    }
  }
}
