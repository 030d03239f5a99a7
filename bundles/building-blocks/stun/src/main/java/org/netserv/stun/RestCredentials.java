// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Users whom a web service has given credentials for a time, as coturn's {@code use-auth-secret}
 * has them. The name is {@code expiry:user} or {@code expiry}, the expiry in seconds since 1970.
 * The password is base64 of the HMAC-SHA1 of the name under a secret that both servers know. The
 * server stores no user. Several secrets serve the change of one; the first makes new passwords.
 */
public final class RestCredentials {
  private static final int NAME_MOST = 513;
  private static final int DIGITS_MOST = 12;

  private final List<StunKey> secrets;

  /**
   * @param secrets the newest first
   * @throws IllegalArgumentException if there is none, or one is empty
   */
  public RestCredentials(List<byte[]> secrets) {
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException("secrets: none");
    }
    if (secrets.stream().anyMatch(secret -> secret.length == 0)) {
      throw new IllegalArgumentException("secrets: an empty one");
    }
    this.secrets = secrets.stream().map(StunKey::of).toList();
  }

  /** Makes the name for a user. */
  public static String username(long expiry, String user) {
    return user.isEmpty() ? Long.toString(expiry) : expiry + ":" + user;
  }

  /** Makes the password of a name with the newest secret. */
  public String password(String username) {
    byte[] name = username.getBytes(StandardCharsets.UTF_8);
    return password(name, secrets.get(0), new Hmac(Hmac.SHA1));
  }

  private static String password(byte[] name, StunKey secret, Hmac hmac) {
    return Base64.getEncoder().encodeToString(hmac.begin(secret).add(name, 0, name.length).end());
  }

  /**
   * Reads the expiry of a name.
   *
   * @return seconds since 1970, or -1 if the name does not begin with a number of 1 to 12 digits
   */
  public static long expiry(ByteBuffer name, int start, int end) {
    long expiry = 0;
    int at = start;
    while (at < end && at - start <= DIGITS_MOST && name.get(at) >= '0' && name.get(at) <= '9') {
      expiry = expiry * 10 + name.get(at++) - '0';
    }
    boolean number = at > start && at - start <= DIGITS_MOST;
    return number && (at == end || name.get(at) == ':') ? expiry : -1;
  }

  /**
   * Returns these users as {@link LongTermServer} asks for them, once per secret. Each belongs to
   * one thread.
   *
   * @param now seconds since 1970
   */
  public List<LongTermUsers> users(String realm, LongSupplier now) {
    return secrets.stream().map(secret -> users(realm, secret, now)).toList();
  }

  private static LongTermUsers users(String realm, StunKey secret, LongSupplier now) {
    Hmac hmac = new Hmac(Hmac.SHA1);
    return (buffer, start, end, algorithm) -> {
      long expiry = expiry(buffer, start, end);
      if (end - start > NAME_MOST || expiry < now.getAsLong()) {
        return null;
      }
      byte[] name = new byte[end - start];
      buffer.get(start, name);
      String username = new String(name, StandardCharsets.UTF_8);
      return key(username, realm, password(name, secret, hmac), algorithm);
    };
  }

  /** The key of a name that a stranger chose. A name that may not be is nobody's. */
  private static StunKey key(
      String username, String realm, String password, PasswordAlgorithm algorithm) {
    try {
      return StunKey.longTerm(username, realm, password, algorithm);
    } catch (IllegalArgumentException forbidden) {
      return null;
    }
  }
}
