// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import org.netserv.serval.ControlMessage;

/** The numbers of the peer, and the receiving half of the control channel. */
final class Remote {
  private boolean known;
  private int flow;
  private long nonce;
  private int first;
  private int expected;

  /** Takes the numbers of the peer's SYN or SYN-ACK. */
  void learn(ControlMessage message) {
    known = true;
    flow = message.sourceFlow();
    nonce = message.nonce();
    first = message.verno();
    expected = first + 1;
  }

  boolean known() {
    return known;
  }

  int flow() {
    return flow;
  }

  /** Returns the verno that the peer's next message should have. */
  int expected() {
    return expected;
  }

  boolean hasNonce(ControlMessage message) {
    return known && message.nonce() == nonce;
  }

  boolean hasFlow(ControlMessage message) {
    return known && message.sourceFlow() == flow;
  }

  /** Tells whether this is the SYN or SYN-ACK by which the peer became known. */
  boolean isFirst(ControlMessage message) {
    return message.verno() == first;
  }

  /** Returns how far a message is ahead of the expected one, below 0 for one that came before. */
  int ahead(ControlMessage message) {
    return message.verno() - expected;
  }

  /** Takes a message with a verno. */
  void accept(ControlMessage message) {
    expected = message.verno() + 1;
  }
}
