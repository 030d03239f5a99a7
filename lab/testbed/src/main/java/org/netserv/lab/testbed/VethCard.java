// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;

/**
 * An end of a veth pair that does a network card's part.
 *
 * <p>A veth leaves checksums and the cutting of trains to a card, and no card is there. Between two
 * stacks nobody notices. A program of the kernel and a module that take such packets see wrong
 * checksums, and leave the packets alone or drop them.
 *
 * @param testbed the testbed of the host
 * @param host its name in the topology
 * @param link its interface
 */
public record VethCard(Testbed testbed, String host, String link) {

  /** Returns the interface {@code eth0} of a host. */
  public static VethCard of(Testbed testbed, String host) {
    return new VethCard(testbed, host, "eth0");
  }

  /** Has the host send whole checksums, and so no trains either. */
  public VethCard addsChecksums() throws IOException {
    return set("tx", "off");
  }

  /**
   * Has the host take packets that XDP of the other end redirects: a veth loses them without GRO.
   */
  public VethCard takesRedirected() throws IOException {
    return set("gro", "on");
  }

  /** Has the host cut trains of TCP itself, as for a card that cannot. */
  public VethCard cutsTrains() throws IOException {
    return set("tso", "off");
  }

  private VethCard set(String feature, String value) throws IOException {
    testbed.run(host, "ethtool", "-K", link, feature, value);
    return this;
  }
}
