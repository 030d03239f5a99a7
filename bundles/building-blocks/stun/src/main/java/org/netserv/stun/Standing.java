// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** The outcome of a check of credentials, with the error that a refusal is answered with. */
public enum Standing {
  AUTHENTICATED(null, "authenticated"),
  NO_INTEGRITY(StunStatus.UNAUTHENTICATED, "neither MESSAGE-INTEGRITY nor its SHA-256"),
  INCOMPLETE(StunStatus.BAD_REQUEST, "USERNAME or USERHASH, REALM or NONCE absent"),
  ALGORITHM(StunStatus.BAD_REQUEST, "PASSWORD-ALGORITHM or -ALGORITHMS changed on the way"),
  UNKNOWN_USER(StunStatus.UNAUTHENTICATED, "no such user in this realm"),
  WRONG_PASSWORD(StunStatus.UNAUTHENTICATED, "check value does not match the password"),
  BAD_TOKEN(StunStatus.UNAUTHENTICATED, "ACCESS-TOKEN that no key opens, or that is not of now"),
  STALE_NONCE(StunStatus.STALE_NONCE, "NONCE too old"),
  FOREIGN_NONCE(StunStatus.STALE_NONCE, "NONCE not this server's, or another client's");

  private final StunStatus status;
  private final String text;

  Standing(StunStatus status, String text) {
    this.status = status;
    this.text = text;
  }

  /** The error to answer with; null for AUTHENTICATED. */
  public StunStatus status() {
    return status;
  }

  public String text() {
    return text;
  }
}
