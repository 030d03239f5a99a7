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
  /** The packet has come to the address to which the rule leads. */
  ONTO_ITSELF("the rule leads to the address that has the packet"),
  /** The target has had the packet before. */
  LOOP("the target is in the list of hops already"),
  TOO_MANY_HOPS("the list of hops is full"),
  /** The packet came to a group or a broadcast address. */
  BROADCAST("a broadcast is not forwarded"),
  TTL("the TTL has come to its end"),
  /** The target has another family than the packet, or SOURCE lies in a packet of IPv6. */
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
