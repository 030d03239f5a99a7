// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import org.netserv.serval.Endpoint;

/**
 * The challenges of a router. A challenge's cookie is a hash (HMAC-SHA-256 with a random key of the
 * router) of the minute, the host's address and its nonce, so a challenge leaves no state. The
 * cookies of registrations that were taken are remembered, because each counts once.
 */
final class Challenges {
  private static final int MINUTE_MILLIS = 60_000;
  private static final int HELD_MILLIS = 2 * MINUTE_MILLIS;

  private final Mac cookies;
  private final Map<ByteBuffer, Long> spent = new LinkedHashMap<>(); // with the time

  Challenges(RandomGenerator random) {
    byte[] secret = new byte[Messages.HASH];
    random.nextBytes(secret);
    cookies = Secrets.mac(secret);
  }

  /**
   * Answers an ASK.
   *
   * @param wire the router's X25519 key
   */
  ByteBuffer challenge(byte[] ask, Endpoint host, byte[] wire, long now) {
    int minute = minute(now);
    return Messages.begin(Messages.CHALLENGE, Messages.CHALLENGE_LENGTH)
        .put(Messages.NONCE, ask, Messages.NONCE, Messages.NONCE_LENGTH)
        .put(Messages.CHALLENGE_KEY, wire)
        .putInt(Messages.CHALLENGE_MINUTE, minute)
        .put(Messages.CHALLENGE_COOKIE, cookie(ask, host, minute));
  }

  private static int minute(long now) {
    return (int) Math.floorDiv(now, (long) MINUTE_MILLIS);
  }

  private byte[] cookie(byte[] message, Endpoint host, int minute) {
    ByteBuffer text = ByteBuffer.allocate(24);
    text.putLong(host.high()).putLong(host.low()).putInt(host.port()).putInt(minute);
    cookies.update(text.array());
    cookies.update(message, Messages.NONCE, Messages.NONCE_LENGTH);
    return cookies.doFinal();
  }

  /** Tells whether a REGISTER has a cookie of this host and of the last two minutes. */
  boolean isFresh(RegisterMessage register, Endpoint host, long now) {
    int age = minute(now) - register.minute();
    return (age == 0 || age == 1)
        && MessageDigest.isEqual(
            register.cookie().array(), cookie(register.bytes(), host, register.minute()));
  }

  boolean isSpent(ByteBuffer cookie) {
    return spent.containsKey(cookie);
  }

  void spend(ByteBuffer cookie, long now) {
    spent.put(cookie, now);
  }

  /** Forgets the cookies that are too old to be fresh. */
  void expire(long now) {
    var oldest = spent.values().iterator();
    while (oldest.hasNext() && oldest.next() < now - HELD_MILLIS) {
      oldest.remove();
    }
  }
}
