// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** The receiver's side of short-term credentials (RFC 8489, 9.1.3). Belongs to one thread. */
public final class ShortTermServer {
  private final Integrity integrity = new Integrity();
  private StunAttribute answerWith;

  /**
   * Checks a request or indication of the one user that the receiver expects.
   *
   * @param username the bytes that USERNAME must have
   */
  public Standing check(StunMessage message, byte[] username, StunKey key) {
    answerWith =
        message.has(StunAttribute.MESSAGE_INTEGRITY_SHA256)
            ? StunAttribute.MESSAGE_INTEGRITY_SHA256
            : StunAttribute.MESSAGE_INTEGRITY;
    if (!message.has(answerWith) || !message.has(StunAttribute.USERNAME)) {
      return Standing.INCOMPLETE;
    }
    if (!StunBytes.equal(message, StunAttribute.USERNAME, username)) {
      return Standing.UNKNOWN_USER;
    }
    return integrity.holds(message, answerWith, key)
        ? Standing.AUTHENTICATED
        : Standing.WRONG_PASSWORD;
  }

  /** Adds the check value to the answer, of the kind that the last request had. */
  public void sign(StunWriter answer, StunKey key) {
    integrity.put(answer, answerWith, key);
  }
}
