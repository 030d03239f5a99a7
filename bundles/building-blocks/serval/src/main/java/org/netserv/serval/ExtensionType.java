// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * The extension types, each with the lengths that a whole extension may have, and the number of
 * extensions that a packet may have. {@link SalPacket#reset} checks these lengths, so that no
 * reader of an extension has to. The published stack knows types 0 to 4 and drops a packet with any
 * other. A packet has the types from 5 on only if the peer has announced them. TICKETS in every
 * second SYN is the exception.
 */
public enum ExtensionType {
  CONTROL(1, 20, 20, 0, 1, ServalError.CONTROL_REPEATED),
  SERVICE(2, 36, 36, 0, 2, ServalError.SERVICE_REPEATED),
  ADDRESS(3, 16, 92, 4, 1, ServalError.ADDRESS_REPEATED),
  SOURCE(4, 12, 84, 4, 1, ServalError.SOURCE_REPEATED),
  /** Ours. Longer ones of a later version may follow. */
  CAPABILITY(5, 8, 252, 4, 1, ServalError.CAPABILITY_REPEATED),
  /** Ours. */
  HOPS(
      6,
      4 + HopList.ENTRY,
      4 + HopList.MOST * HopList.ENTRY,
      HopList.ENTRY,
      1,
      ServalError.HOPS_REPEATED),
  /** Ours. */
  TICKETS(
      7,
      TicketList.HEAD,
      TicketList.HEAD + TicketList.MOST * TicketList.ENTRY,
      TicketList.ENTRY,
      1,
      ServalError.TICKETS_REPEATED);

  /** The number of PAD, an extension of one byte without a length. */
  public static final int PAD = 0;

  private static final ExtensionType[] BY_NUMBER = new ExtensionType[16];

  static {
    for (ExtensionType type : values()) {
      BY_NUMBER[type.number] = type;
    }
  }

  private final int number;
  private final int least;
  private final int most;
  private final int step;
  private final int times;
  private final ServalError repeated;

  ExtensionType(int number, int least, int most, int step, int times, ServalError repeated) {
    this.number = number;
    this.least = least;
    this.most = most;
    this.step = step;
    this.times = times;
    this.repeated = repeated;
  }

  /** Returns the number in the upper half of the first byte, 1 to 15. */
  public int number() {
    return number;
  }

  /** Returns the type with this number, 0 to 15, or null if the number is PAD's or free. */
  public static ExtensionType of(int number) {
    return BY_NUMBER[number];
  }

  /** Tells whether an extension of this type may have so many bytes in all. */
  boolean mayHave(int length) {
    return length >= least && length <= most && (step == 0 || (length - least) % step == 0);
  }

  /** Returns the refusal of a packet with so many extensions of this type. */
  ServalError allow(int count) {
    return count > times ? repeated : ServalError.OK;
  }
}
