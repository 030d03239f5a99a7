// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Users whom a web service has given credentials for a time, as coturn's {@code use-auth-secret}
 * has them. The name is {@code expiry:user} or {@code expiry}, the expiry in seconds since 1970.
 * The password is base64 of the HMAC-SHA1 of the name under a secret that both servers know. The
 * server stores no user. Several secrets serve the change of one; the first makes new passwords.
 */
public final class RestCredentials {
  private static final int NAME_MOST = 513;
  private static final int DIGITS_MOST = 12;

  private final List<SecretKeySpec> secrets;

  /**
   * @param secrets the newest first
   * @throws IllegalArgumentException if there is none, or one is empty
   */
  public RestCredentials(List<byte[]> secrets) {
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException("secrets: none");
    }
    this.secrets = secrets.stream().map(secret -> new SecretKeySpec(secret, "HmacSHA1")).toList();
  }

  /** Makes the name for a user. */
  public static String username(long expiry, String user) {
    return user.isEmpty() ? Long.toString(expiry) : expiry + ":" + user;
  }

  /** Makes the password of a name with the newest secret. */
  public String password(String username) {
    return password(username, secrets.get(0));
  }

  private static String password(String username, SecretKeySpec secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA1");
      mac.init(secret);
      byte[] value = mac.doFinal(username.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(value);
    } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
      throw new IllegalStateException("every JDK has HmacSHA1 for any key", impossible);
    }
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
   * Returns these users as {@link LongTermServer} asks for them, once per secret.
   *
   * @param now seconds since 1970
   */
  public List<LongTermUsers> users(String realm, LongSupplier now) {
    return secrets.stream().map(secret -> users(realm, secret, now)).toList();
  }

  private static LongTermUsers users(String realm, SecretKeySpec secret, LongSupplier now) {
    return (buffer, start, end, algorithm) -> {
      long expiry = expiry(buffer, start, end);
      if (end - start > NAME_MOST || expiry < now.getAsLong()) {
        return null;
      }
      byte[] name = new byte[end - start];
      buffer.get(start, name);
      String username = new String(name, StandardCharsets.UTF_8);
      return key(username, realm, password(username, secret), algorithm);
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
