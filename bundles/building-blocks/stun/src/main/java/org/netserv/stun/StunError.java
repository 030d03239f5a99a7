// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** A fault of a message. {@link #OK} stands for none. */
public enum StunError {
  OK("ok"),
  /** The range does not lie inside the buffer. */
  RANGE("range outside the buffer"),
  SHORT("header: shorter than 20 bytes"),
  TYPE("header: the two top bits are not 0"),
  COOKIE("header: no magic cookie"),
  LENGTH("header: length is not that of the attributes"),
  /** From here on the header is sound, so that a server can answer 400. */
  ATTRIBUTE_LENGTH("attribute: longer than the message"),
  VALUE_LENGTH("attribute: length is not one that its type has"),
  FINGERPRINT_PLACE("FINGERPRINT: not the last attribute");

  private final String text;

  StunError(String text) {
    this.text = text;
  }

  /** The fault in words. The text begins with the name of the field. */
  public String text() {
    return text;
  }
}
