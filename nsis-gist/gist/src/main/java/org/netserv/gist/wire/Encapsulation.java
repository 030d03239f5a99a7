// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** The encapsulation of a message that came (RFC 5971 section 5.5). */
public enum Encapsulation {
  /** A datagram to a known peer. */
  D_MODE,
  /** A datagram that is intercepted on the way of the flow; its C-flag is set. */
  Q_MODE,
  /** A message by a messaging association. */
  C_MODE;

  /** Returns the encapsulation of a UDP datagram. */
  public static Encapsulation ofDatagram(boolean explicit) {
    return explicit ? Q_MODE : D_MODE;
  }

  boolean datagram() {
    return this != C_MODE;
  }
}
