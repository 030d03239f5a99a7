// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/**
 * The giver of a rule. All rules of an origin can be withdrawn at once.
 *
 * @param kind the kind of feeder
 * @param name tells origins of one kind apart: a process, a router, a publisher, a zone
 */
public record Origin(Kind kind, String name) {
  /** The kinds of feeders. */
  public enum Kind {
    /** The operator. */
    OPERATOR,
    /** A process of this host that listens. */
    PROCESS,
    /** A module of a publisher. */
    MODULE,
    /** A host that registered. */
    REGISTRATION,
    /** A parent router. */
    PARENT,
    /** Records of the DNS. */
    DNS,
    /** A store that several routers share. */
    STORE,
    /** Announcements in the ad hoc case. */
    FLOOD
  }

  /** Tells whether the rules come from others who know many prefixes. */
  public boolean isFeeder() {
    return kind.compareTo(Kind.PARENT) >= 0;
  }
}
