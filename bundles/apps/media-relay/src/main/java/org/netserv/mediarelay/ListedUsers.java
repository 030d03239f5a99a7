// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.netserv.stun.LongTermUsers;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.StunKey;

/** Users with passwords, from the properties. Their keys are made once. */
final class ListedUsers implements LongTermUsers {
  private final Map<String, Map<PasswordAlgorithm, StunKey>> keys = new HashMap<>();

  /**
   * @throws IllegalArgumentException if a name or password may not be
   */
  ListedUsers(String realm, Map<String, String> passwords) {
    passwords.forEach(
        (user, password) -> {
          Map<PasswordAlgorithm, StunKey> both = new EnumMap<>(PasswordAlgorithm.class);
          for (PasswordAlgorithm algorithm : PasswordAlgorithm.values()) {
            both.put(algorithm, StunKey.longTerm(user, realm, password, algorithm));
          }
          keys.put(user, both);
        });
  }

  @Override
  public StunKey find(ByteBuffer buffer, int start, int end, PasswordAlgorithm algorithm) {
    byte[] name = new byte[end - start];
    buffer.get(start, name);
    Map<PasswordAlgorithm, StunKey> both = keys.get(new String(name, StandardCharsets.UTF_8));
    return both == null ? null : both.get(algorithm);
  }
}
