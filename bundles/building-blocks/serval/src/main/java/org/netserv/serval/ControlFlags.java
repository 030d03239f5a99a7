// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/** The flags of {@link Control}, one bit each. */
public final class ControlFlags {
  /** Asks for a flow. */
  public static final int SYN = 0x80;

  /** The sender has moved. */
  public static final int RSYN = 0x40;

  /** Acknowledges what ackno says. */
  public static final int ACK = 0x20;

  /** Reserved: the published stack never sends it. */
  public static final int NACK = 0x10;

  /** The flow is not known, or broken off. */
  public static final int RST = 0x08;

  /** The sender sends no more data. */
  public static final int FIN = 0x04;

  private ControlFlags() {}

  public static boolean has(int flags, int some) {
    return (flags & some) != 0;
  }

  /**
   * Tells whether a message with these flags takes a verno of its own. SYN, RSYN and FIN do. A mere
   * acknowledgement, the answer to an RSYN, and RST do not.
   */
  public static boolean isNumbered(int flags) {
    return !has(flags, RST) && (has(flags, SYN | FIN) || (has(flags, RSYN) && !has(flags, ACK)));
  }

  /** Tells whether these flags may stand together. */
  public static boolean areSound(int flags) {
    if (has(flags, NACK) || (flags & (SYN | RSYN | ACK | RST | FIN)) == 0) {
      return false;
    }
    if (has(flags, SYN)) {
      return !has(flags, RSYN | RST | FIN);
    }
    return !has(flags, RST) || !has(flags, RSYN | FIN);
  }
}
