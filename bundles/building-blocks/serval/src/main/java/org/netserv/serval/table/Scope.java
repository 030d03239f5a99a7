// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/** The rules that count for a packet. */
public enum Scope {
  /** A packet of this host, or of a router that forwards: all rules. */
  ALL,
  /** A packet that came in to a host that does not forward: DEMUX alone. */
  LOCAL;

  boolean has(RuleAction action) {
    return this == ALL || action == RuleAction.DEMUX;
  }
}
