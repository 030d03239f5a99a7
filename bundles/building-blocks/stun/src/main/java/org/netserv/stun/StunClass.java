// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** The class of a message (RFC 8489, 5). */
public enum StunClass {
  REQUEST(0),
  INDICATION(0x010),
  SUCCESS(0x100),
  ERROR(0x110);

  private static final StunClass[] ALL = values();

  private final int bits;

  StunClass(int bits) {
    this.bits = bits;
  }

  /** The class's two bits, where a message type has them. */
  int bits() {
    return bits;
  }

  /** Reads the two class bits of a message type. */
  static StunClass ofType(int type) {
    return ALL[((type >>> 7) & 2) | ((type >>> 4) & 1)];
  }
}
