// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/** The refusals of a packet that a DELAY should hold. {@link #OK} stands for none. */
public enum HoldRefusal {
  OK("ok"),
  FULL("as many packets are held as may be"),
  ID_FULL("the serviceID has as many packets held as it may"),
  SOURCE_FULL("the sender has as many packets held as it may"),
  /** Of a packet that was held. */
  LATE("held for its whole time without a verdict of the controller");

  private final String text;

  HoldRefusal(String text) {
    this.text = text;
  }

  /** Returns the refusal in words. */
  public String text() {
    return text;
  }
}
