// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Ephemeral credentials of a relay, in the form of draft-uberti-behave-turn-rest: the user name is
 * {@code EXPIRY:USER}, the password is the Base64 of HMAC-SHA1(secret, user name). Relays need the
 * secret alone, and no list of users. Safe for several threads.
 */
final class Credentials {
  private static final String ALGORITHM = "HmacSHA1";

  private final SecretKeySpec key;
  private final long lifetimeMillis;

  /** Credentials with a secret that is shared with the relays; not empty. */
  Credentials(byte[] secret, long lifetimeMillis) {
    this.key = new SecretKeySpec(secret, ALGORITHM);
    this.lifetimeMillis = lifetimeMillis;
  }

  /** A user name and its password. */
  record Pair(String user, String password) {}

  /**
   * Makes credentials.
   *
   * @param user in the name, for the relay's log and quotas
   * @param now milliseconds since 1970
   */
  Pair of(String user, long now) {
    String name = (now + lifetimeMillis) / 1000 + ":" + user;
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      byte[] digest = mac.doFinal(name.getBytes(StandardCharsets.UTF_8));
      return new Pair(name, Base64.getEncoder().encodeToString(digest));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC-SHA1", e);
    }
  }
}
