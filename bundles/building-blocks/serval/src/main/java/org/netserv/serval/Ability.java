// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * Abilities beyond the published stack, one bit each. A server announces its own in the SYN-ACK
 * ({@link Control}). A client that knows abilities answers with {@link Capability}, and the server
 * believes that extension alone. Bits without a name are free, and are passed over.
 */
public enum Ability {
  /** Reads extensions of the types from 5 on, and passes over types that it does not know. */
  EXTENSIONS(0x01),
  /** Sends and takes data as plain TCP or UDP whose ports are the low halves of the flowIDs. */
  NATIVE(0x02),
  /** Reads {@link HopList}, and so has flows over IPv6 and behind NATs. */
  HOPS(0x04);

  private final int bit;

  Ability(int bit) {
    this.bit = bit;
  }

  public int bit() {
    return bit;
  }

  public boolean in(int abilities) {
    return (abilities & bit) != 0;
  }
}
