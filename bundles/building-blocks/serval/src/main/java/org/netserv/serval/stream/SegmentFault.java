// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** The refusals of a TCP header. {@link #OK} stands for none. */
public enum SegmentFault {
  OK("ok"),
  SHORT("shorter than a TCP header"),
  OFFSET("the header's length is below 20 bytes, or beyond the packet"),
  CHECKSUM("wrong checksum"),
  OPTION("an option has a length that it cannot have");

  private final String text;

  SegmentFault(String text) {
    this.text = text;
  }

  /** Returns the refusal in words. */
  public String text() {
    return text;
  }
}
