// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** A node at the edge, with the addresses that it covers. */
final class EdgeNode extends Due {
  final String id;
  final Set<CoveredAddress> addresses = new LinkedHashSet<>();
  NodeMachine.State state = NodeMachine.State.ASKED;

  /** Address at which the node can be reached; null = not known. */
  InetAddress at;

  /**
   * Ends of the sessions in which the node took the module, by their addresses. A node counts each
   * session as a claim on the module, and a REMOVE takes its own session's claim alone.
   */
  final Map<InetAddress, Long> claims = new LinkedHashMap<>();

  /** The address of the last SETUP. */
  InetAddress along;

  /** End of the module's TTL, milliseconds since 1970; 0 = it does not run. */
  long until;

  /** Status of the last answer; 0 = none. */
  int status;

  /** Fruitless REMOVEs in a row. */
  int removes;

  EdgeNode(long number, String id) {
    super(number);
    this.id = id;
  }

  boolean runs() {
    return state == NodeMachine.State.RUNNING;
  }

  /** Notes that the node has taken the module in the session along an address. */
  void claimed(InetAddress by, long now, long end) {
    dropClaims(now);
    until = end;
    claims.put(by, end);
  }

  /** Drops the claims whose sessions have ended. */
  void dropClaims(long now) {
    claims.values().removeIf(end -> end <= now);
  }

  /**
   * Returns the address of the last SETUP as long as that is answered, else the next one; null =
   * there are no addresses.
   */
  CoveredAddress next() {
    if (addresses.isEmpty()) {
      return null;
    }
    for (CoveredAddress address : addresses) {
      if (failures == 0 && address.ip.equals(along)) {
        return address;
      }
    }
    CoveredAddress first = addresses.iterator().next();
    addresses.remove(first);
    addresses.add(first);
    return first;
  }
}
