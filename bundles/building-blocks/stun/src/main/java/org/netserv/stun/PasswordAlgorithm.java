// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.security.MessageDigest;

/**
 * PASSWORD-ALGORITHM (RFC 8489, 14.12 and 18.5.1): the hash that makes a key of a long-term
 * password. Neither of the two has parameters.
 *
 * <pre>
 *   0  number      2  length of the parameters, 0
 * </pre>
 */
public enum PasswordAlgorithm {
  MD5(1, "MD5"),
  SHA256(2, Hmac.SHA256);

  private static final PasswordAlgorithm[] ALL = values();

  private final int code;
  private final String hash;

  PasswordAlgorithm(int code, String hash) {
    this.code = code;
    this.hash = hash;
  }

  /** The algorithm's number, 16 bits. */
  public int code() {
    return code;
  }

  MessageDigest digest() {
    return Hmac.digest(hash);
  }

  /** Returns the algorithm of a message, or null if it is absent, unknown or has parameters. */
  public static PasswordAlgorithm get(StunMessage message) {
    int at = message.find(StunAttribute.PASSWORD_ALGORITHM);
    return at < 0 || message.length(at) != 4 ? null : at(message, message.valueStart(at));
  }

  static PasswordAlgorithm at(StunMessage message, int entry) {
    for (PasswordAlgorithm algorithm : ALL) {
      if (message.buffer().getInt(entry) == algorithm.code << 16) {
        return algorithm;
      }
    }
    return null;
  }

  public void put(StunWriter writer) {
    writer.put32(StunAttribute.PASSWORD_ALGORITHM, code << 16);
  }
}
