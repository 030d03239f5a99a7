// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import org.netserv.stun.LongTermUsers;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.StunKey;

/**
 * Knows one user: the maker of the allocation that a request is for. Credentials that expire during
 * a call keep their allocation alive, and cannot make another one.
 */
final class SessionUsers implements LongTermUsers {
  private Allocation allocation;

  /** Sets the allocation of the next request, null = it has none. */
  void allocation(Allocation of) {
    allocation = of;
  }

  @Override
  public StunKey find(ByteBuffer buffer, int start, int end, PasswordAlgorithm algorithm) {
    Login login = allocation == null ? null : allocation.login();
    if (login == null || login.algorithm() != algorithm) {
      return null;
    }
    byte[] name = login.username();
    if (name.length != end - start) {
      return null;
    }
    for (int i = 0; i < name.length; i++) {
      if (buffer.get(start + i) != name[i]) {
        return null;
      }
    }
    return login.key();
  }
}
