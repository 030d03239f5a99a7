// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/** The users that a server knows by long-term credentials. */
public interface LongTermUsers {
  /**
   * Finds the key of a user.
   *
   * @param buffer holds the USERNAME in {@code [start, end)}, which is any bytes
   * @return null if there is no such user
   */
  StunKey find(ByteBuffer buffer, int start, int end, PasswordAlgorithm algorithm);

  /**
   * Finds the key of a user by the 32 bytes of {@link UserHash} at {@code start}. A server whose
   * users have no hashes must not announce {@link NonceCookie#USERNAME_ANONYMITY}.
   *
   * @return null if there is no such user
   */
  default StunKey findHash(ByteBuffer buffer, int start, PasswordAlgorithm algorithm) {
    return null;
  }
}
