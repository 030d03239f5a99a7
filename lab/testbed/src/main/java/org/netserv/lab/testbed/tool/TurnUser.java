// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.netserv.stun.RestCredentials;

/** Name and password of a user of a TURN server, for an hour. */
public record TurnUser(String name, String password) {
  private static final int LIFE_SECONDS = 3600;

  /** Makes the credentials of a user by the secret that the server has. */
  public static TurnUser of(String secret, String user) {
    String name = RestCredentials.username(System.currentTimeMillis() / 1000 + LIFE_SECONDS, user);
    byte[] key = secret.getBytes(StandardCharsets.UTF_8);
    return new TurnUser(name, new RestCredentials(List.of(key)).password(name));
  }
}
