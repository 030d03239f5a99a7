// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

/** The reasons for which a message changes nothing at a flow. {@link #OK} stands for none. */
public enum FlowRefusal {
  OK("ok"),
  FLAGS("the flags do not go together"),
  WRONG_FLOW("the flowIDs are not those of the flow"),
  /** A guess, or a message of another flow. */
  WRONG_NONCE("the nonce is not the peer's"),
  WRONG_ACKNO("the ackno acknowledges a message that was never sent"),
  /** A copy or a late message. It gets an acknowledgement, in case the first was lost. */
  STALE("the verno is older than expected"),
  /** A retransmitted SYN came to a second instance. That instance gets a RST. */
  ANOTHER_INSTANCE("another instance answers the SYN"),
  UNEXPECTED("the message has no meaning in this state");

  private final String text;

  FlowRefusal(String text) {
    this.text = text;
  }

  /** Returns the refusal in words. */
  public String text() {
    return text;
  }
}
