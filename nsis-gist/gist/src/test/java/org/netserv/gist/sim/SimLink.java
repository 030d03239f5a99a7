// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.net.InetAddress;

/** A link between two hosts, with its effects on datagrams. */
public final class SimLink {
  public final int index;
  final SimHost one;
  final SimHost other;

  public boolean up = true;
  public long delay = 1;

  /** Most additional delay in milliseconds, by which packets overtake each other. */
  public long jitter;

  /** Probability that a datagram is lost. */
  public double loss;

  /** Probability that a datagram comes twice. */
  public double duplicate;

  public int mtu = 1500;

  SimLink(int index, SimHost one, SimHost other) {
    this.index = index;
    this.one = one;
    this.other = other;
  }

  boolean has(SimHost host) {
    return host == one || host == other;
  }

  SimHost peer(SimHost host) {
    return host == one ? other : one;
  }

  /** Returns the address of that end. */
  InetAddress address(SimHost end, int ipVersion) {
    int last = end == one ? 1 : 2;
    return SimNetwork.address(
        ipVersion == 4 ? "10." + index + ".0." + last : "2001:db8:" + index + "::" + last);
  }
}
