// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter;

import org.netserv.values.PortRange;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/**
 * Selects the packets that go to a module. The filter headers of an NCM are a projection of this
 * full form.
 *
 * @param family 4 or 6
 * @param protocol IP protocol number, 0 = any
 * @param source null = any
 * @param destination never null: a filter always has a destination it was granted for
 * @param sourcePorts null = any; only with a protocol that has ports
 * @param destinationPorts null = any; only with a protocol that has ports
 * @param sample 0 = the packets themselves; N &gt; 0 = a copy of each Nth packet
 * @param synOnly only the first packets of TCP connections; protocol 6 only
 * @param match a classic BPF program, {@code code:yes:no:operand,...} with offsets from the IP
 *     header, that must accept the packet as well; null = none
 * @param count fields by which the kernel counts its packets, as in {@code filter-count}: the
 *     module sees none of them; null = they are not counted
 * @param take the container's port for connections to the destination; 0 = it gets packets
 */
public record FlowFilter(
    int family,
    int protocol,
    Prefix source,
    Prefix destination,
    PortRange sourcePorts,
    PortRange destinationPorts,
    int sample,
    boolean synOnly,
    String match,
    String count,
    int take) {

  /** The largest N of a sample. A filter gets at least one packet in a million. */
  public static final int MAX_SAMPLE = 1_000_000;

  /** Creates a filter without a program that counts nothing. */
  public FlowFilter(
      int family,
      int protocol,
      Prefix source,
      Prefix destination,
      PortRange sourcePorts,
      PortRange destinationPorts,
      int sample,
      boolean synOnly) {
    this(
        family,
        protocol,
        source,
        destination,
        sourcePorts,
        destinationPorts,
        sample,
        synOnly,
        null,
        null,
        0);
  }

  /** Creates a filter that takes the connections to a TCP port of a prefix for the container. */
  public static FlowFilter take(Prefix destination, int port, int inside) {
    return new FlowFilter(
        destination.family(),
        Protocols.TCP,
        null,
        destination,
        null,
        new PortRange(port, port),
        0,
        false,
        null,
        null,
        inside);
  }

  /** Tells whether the container gets connections by this filter, and no packets. */
  public boolean takes() {
    return take != 0;
  }

  /** Returns the same filter, counted in the kernel and no more. */
  public FlowFilter counted() {
    return with(0, count);
  }

  /** Returns the same filter, not counted. */
  public FlowFilter uncounted() {
    return with(sample, null);
  }

  private FlowFilter with(int newSample, String newCount) {
    return new FlowFilter(
        family,
        protocol,
        source,
        destination,
        sourcePorts,
        destinationPorts,
        newSample,
        synOnly,
        match,
        newCount,
        take);
  }

  public FlowFilter {
    require(family == 4 || family == 6, "family is 4 or 6");
    require(protocol >= 0 && protocol <= 255, "protocol is 0 to 255");
    require(
        destination != null && destination.family() == family,
        "destination of the filter's family");
    require(source == null || source.family() == family, "source of the filter's family");
    require(
        (sourcePorts == null && destinationPorts == null) || Protocols.hasPorts(protocol),
        "ports only with a protocol that has them");
    require(sample >= 0 && sample <= MAX_SAMPLE, "sample is 0 to " + MAX_SAMPLE);
    require(!synOnly || protocol == Protocols.TCP, "synOnly only with TCP");
    require(take >= 0 && take <= PortRange.MAX, "take is a port");
    require(take == 0 || (protocol == Protocols.TCP && sample == 0), "connections are of TCP");
    require(count == null || (match == null && !synOnly), "what is counted is not looked into");
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException("filter: " + rule);
    }
  }
}
