// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import org.netserv.serval.ControlMessage;
import org.netserv.serval.Way;

/** The numbers of the peer, and the receiving half of the control channel. */
final class Remote {
  private boolean known;
  private int flow;
  private long nonce;
  private int first;
  private int expected;
  private Way way = Way.STRAIGHT;

  /** Takes the numbers of the peer's SYN or SYN-ACK. */
  void learn(ControlMessage message) {
    learn(message, message.verno());
  }

  /** Takes the numbers of a later message of a peer that began with this verno. */
  void learn(ControlMessage message, int verno) {
    known = true;
    flow = message.sourceFlow();
    nonce = message.nonce();
    first = verno;
    expected = first + 1;
  }

  /** Returns the way of the last SYN. */
  Way way() {
    return way;
  }

  void way(Way taken) {
    way = taken;
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
