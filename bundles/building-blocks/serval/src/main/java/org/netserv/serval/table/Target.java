// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import org.netserv.serval.Endpoint;

/**
 * The place to which a rule leads: an address for FORWARD, a socket for DEMUX, and {@link #NONE}
 * for DELAY and DROP.
 *
 * @param address null unless the target is an address
 * @param socket a number of the caller's, 0 unless the target is a socket
 */
public record Target(Endpoint address, long socket) implements Comparable<Target> {
  public static final Target NONE = new Target(null, 0);

  public static Target address(Endpoint address) {
    return new Target(address, 0);
  }

  /** Returns the target of a socket. The number is not 0. */
  public static Target socket(long number) {
    return new Target(null, number);
  }

  /** Tells whether an action can have this target. */
  boolean suits(RuleAction action) {
    return switch (action) {
      case FORWARD -> address != null && socket == 0;
      case DEMUX -> address == null && socket != 0;
      case DELAY, DROP -> equals(NONE);
    };
  }

  @Override
  public int compareTo(Target other) {
    int order = Long.compareUnsigned(socket, other.socket);
    if (order != 0 || address == null || other.address == null) {
      return order != 0 ? order : Boolean.compare(address != null, other.address != null);
    }
    order = Long.compareUnsigned(address.high(), other.address.high());
    order = order != 0 ? order : Long.compareUnsigned(address.low(), other.address.low());
    return order != 0 ? order : Integer.compare(address.port(), other.address.port());
  }
}
