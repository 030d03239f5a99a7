// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * A message of the control channel with the flowIDs of its packet.
 *
 * @param sourceFlow the sender's flowID
 * @param destinationFlow the receiver's flowID, 0 in a SYN
 * @param flags {@link ControlFlags}
 * @param abilities {@link Ability}; count in a SYN-ACK alone
 * @param verno number of this message, or of the sender's next one
 * @param ackno the verno that the sender expects next
 * @param nonce the sender's; in a RST for an unknown flow the receiver's
 */
public record ControlMessage(
    int sourceFlow,
    int destinationFlow,
    int flags,
    int abilities,
    int verno,
    int ackno,
    long nonce) {

  public boolean has(int flag) {
    return ControlFlags.has(flags, flag);
  }

  /**
   * Returns the RST for a message that no flow takes: flowIDs swapped, with the nonce of the
   * message. Null if there is none, because a SYN or a RST gets no RST.
   */
  public ControlMessage refusal() {
    if (has(ControlFlags.RST) || (has(ControlFlags.SYN) && !has(ControlFlags.ACK))) {
      return null;
    }
    int next = verno + (ControlFlags.isNumbered(flags) ? 1 : 0);
    return new ControlMessage(
        destinationFlow, sourceFlow, ControlFlags.RST | ControlFlags.ACK, 0, ackno, next, nonce);
  }
}
