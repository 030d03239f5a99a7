// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.StunKey;

/** The credentials of a request that held. Immutable. */
final class Login {
  /** The seconds of a user's password, which has no token's end. */
  static final int NO_TOKEN = 0;

  private final byte[] username;
  private final StunKey key;
  private final PasswordAlgorithm algorithm;
  private final long tokenSeconds;

  /**
   * @param username as the client has sent it
   * @param key of the check values
   * @param algorithm that has made the key of a password; of a token, the client's choice
   * @param tokenSeconds for which the client's token still holds, {@link #NO_TOKEN} = it has none
   */
  Login(byte[] username, StunKey key, PasswordAlgorithm algorithm, long tokenSeconds) {
    this.username = username;
    this.key = key;
    this.algorithm = algorithm;
    this.tokenSeconds = tokenSeconds;
  }

  byte[] username() {
    return username;
  }

  StunKey key() {
    return key;
  }

  PasswordAlgorithm algorithm() {
    return algorithm;
  }

  /** Tells whether the request has a token (RFC 7635). */
  boolean isToken() {
    return tokenSeconds != NO_TOKEN;
  }

  long tokenSeconds() {
    return tokenSeconds;
  }
}
