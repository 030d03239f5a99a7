// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/** The refusals of a packet. {@link #OK} stands for none. */
public enum ServalError {
  OK("ok"),
  /** The range does not lie inside the buffer. */
  RANGE("range outside the buffer"),
  SHORT("header: shorter than 12 bytes"),
  HEADER_LENGTH("header: length is below 3 words"),
  HEADER_CUT("header: longer than the packet"),
  CHECKSUM("header: wrong checksum"),
  EXTENSION_CUT("extension: longer than the header"),
  EXTENSION_LENGTH("extension: length is not one that its type has"),
  EXTENSION_COUNT("extension: more than 10"),
  CONTROL_PLACE("CONTROL: not the first extension"),
  CONTROL_REPEATED("CONTROL: more than one"),
  SERVICE_REPEATED("SERVICE: more than two"),
  ADDRESS_REPEATED("ADDRESS: more than one"),
  SOURCE_REPEATED("SOURCE: more than one"),
  CAPABILITY_REPEATED("CAPABILITY: more than one"),
  HOPS_REPEATED("HOPS: more than one"),
  TICKETS_REPEATED("TICKETS: more than one");

  private final String text;

  ServalError(String text) {
    this.text = text;
  }

  /** Returns the refusal in words. The text begins with the name of the field. */
  public String text() {
    return text;
  }
}
