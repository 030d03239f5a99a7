// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/** The refusals of a rule. {@link #OK} stands for none. */
public enum TableRefusal {
  OK("ok"),
  TARGET("the target does not suit the action"),
  WEIGHT("the weight is not 0 to 65535"),
  ENDED("the lifetime is over"),
  /** The address is one of this host's own, so that a packet would come back. */
  ONTO_ITSELF("the rule leads to this host itself"),
  /** The address is a group's or the broadcast address, which SAL never forwards to. */
  FOR_MANY("the rule leads to a group of hosts"),
  TABLE_FULL("the table is full"),
  ORIGIN_FULL("the origin has as many rules as it may"),
  PREFIX_FULL("the prefix has as many rules as it may");

  private final String text;

  TableRefusal(String text) {
    this.text = text;
  }

  /** Returns the refusal in words. */
  public String text() {
    return text;
  }
}
