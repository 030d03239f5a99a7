// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/** The decision of a service router about one packet. All from NO_SERVICE on drop it. */
public enum ForwardVerdict {
  /** Send it to the target of the rule. */
  FORWARD("forwarded"),
  /** Give it to the socket of the rule. */
  DELIVER("given to a socket"),
  /** Hold it for the controller. */
  HOLD("held for the controller"),
  NO_SERVICE("no serviceID in a packet that needs one"),
  NO_RULE("no rule for the serviceID"),
  RULE_DROPS("a rule drops the serviceID"),
  /** The target has had the packet before. */
  LOOP("the target is in SOURCE already"),
  /** SOURCE has as many addresses as it may. */
  TOO_MANY_HOPS("SOURCE is full"),
  /** The packet came to a group or a broadcast address. */
  BROADCAST("a broadcast is not forwarded"),
  TTL("the TTL has come to its end"),
  /** The target has another family than the packet, and no HOPS. */
  FAMILY("the target's family does not suit the packet");

  private final String text;

  ForwardVerdict(String text) {
    this.text = text;
  }

  /** Returns the verdict in words. */
  public String text() {
    return text;
  }
}
