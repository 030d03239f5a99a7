// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/** The action of a rule, with its number in the published stack. */
public enum RuleAction {
  /** Send the packet to an address. */
  FORWARD(1),
  /** Give the packet to a socket of this host. */
  DEMUX(2),
  /** Hold the packet until the controller has given a rule for it. */
  DELAY(3),
  DROP(4);

  private final int number;

  RuleAction(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** Returns the action with this number, or null. */
  public static RuleAction of(int number) {
    return number < 1 || number > 4 ? null : values()[number - 1];
  }
}
