// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Makes and recognises nonces without remembering one:
 *
 * <pre>
 *   nonce cookie, 13      time of issue, 8 hex digits      base64 of 18 bytes of HMAC-SHA256, 24
 *   HMAC over:  cookie, time, address (16 bytes), port (2)
 *   its key:    HMAC-SHA256(secret, number of the rotation period)
 * </pre>
 *
 * A nonce therefore belongs to one address and port, says which features the server has, and holds
 * for a bounded time. Objects with the same secret know each other's nonces, so that each thread
 * has one. The key changes with each period, without an agreement between them.
 */
public final class Nonces {
  /** The standing of a nonce. Both of the last two are answered with 438. */
  public enum State {
    VALID,
    /** Made by this server for this client, too long ago. */
    STALE,
    /** Made by somebody else, for another client, with other features, or forged. */
    FOREIGN
  }

  private static final int TIME_DIGITS = 8;
  private static final int MAC_BYTES = 18;
  private static final int MAC_DIGITS = 24;
  private static final int LENGTH = NonceCookie.LENGTH + TIME_DIGITS + MAC_DIGITS;
  private static final int INPUT = NonceCookie.LENGTH + TIME_DIGITS + 18;
  private static final Base64.Encoder BASE64 = Base64.getEncoder();

  private final StunKey secret;
  private final long lifetime;
  private final long rotation;
  private final int features;
  private final Hmac hmac = new Hmac(Hmac.SHA256);
  private final ByteBuffer input = ByteBuffer.allocate(INPUT);
  private final byte[] mac = new byte[MAC_BYTES];
  private final byte[] nonce = new byte[LENGTH];
  private final byte[] macDigits = new byte[MAC_DIGITS];

  // keys of two periods, even and odd ones
  private final StunKey[] keys = new StunKey[2];
  private final long[] periods = {-1, -1};

  /**
   * @param secret at least 16 random bytes
   * @param lifetime seconds for which a nonce holds, at least 1
   * @param rotation seconds after which the key changes, not below the lifetime
   * @param features of {@link NonceCookie}
   * @throws IllegalArgumentException naming the parameter that is wrong
   */
  public Nonces(byte[] secret, long lifetime, long rotation, int features) {
    if (secret.length < 16) {
      throw new IllegalArgumentException("secret: shorter than 16 bytes");
    }
    if (lifetime < 1 || rotation < lifetime) {
      throw new IllegalArgumentException("rotation: " + rotation + " is below the lifetime");
    }
    this.secret = StunKey.of(secret);
    this.lifetime = lifetime;
    this.rotation = rotation;
    this.features = features;
    byte[] cookie = NonceCookie.of(features);
    System.arraycopy(cookie, 0, nonce, 0, cookie.length);
    input.put(0, cookie);
  }

  public int features() {
    return features;
  }

  /**
   * Adds NONCE for a client.
   *
   * @param now seconds since 1970
   */
  public void put(StunWriter writer, long high, long low, int port, long now) {
    make(high, low, port, now);
    StunBytes.put(writer, StunAttribute.NONCE, nonce);
  }

  /** Tells what the NONCE of a request is worth. FOREIGN if it has none. */
  public State check(StunMessage request, long high, long low, int port, long now) {
    int at = request.find(StunAttribute.NONCE);
    if (at < 0 || request.length(at) != LENGTH) {
      return State.FOREIGN;
    }
    ByteBuffer buffer = request.buffer();
    int start = request.valueStart(at);
    long issued = time(buffer, start + NonceCookie.LENGTH);
    if (issued < 0 || issued > now) {
      return State.FOREIGN;
    }
    if (now - issued > lifetime + rotation) {
      return State.STALE; // whoever made it: no key is derived for a time that a stranger chose
    }
    make(high, low, port, issued);
    if (!ConstantTime.equal(buffer, start, nonce, LENGTH)) {
      return State.FOREIGN;
    }
    return now - issued <= lifetime ? State.VALID : State.STALE;
  }

  private static long time(ByteBuffer buffer, int start) {
    long time = 0;
    for (int i = start; i < start + TIME_DIGITS; i++) {
      int digit = Character.digit(buffer.get(i), 16);
      if (digit < 0) {
        return -1;
      }
      time = (time << 4) | digit;
    }
    return time;
  }

  private void make(long high, long low, int port, long time) {
    for (int i = 0; i < TIME_DIGITS; i++) {
      int digit = (int) (time >>> (4 * (TIME_DIGITS - 1 - i))) & 0xf;
      byte character = (byte) Character.forDigit(digit, 16);
      nonce[NonceCookie.LENGTH + i] = character;
      input.put(NonceCookie.LENGTH + i, character);
    }
    int at = NonceCookie.LENGTH + TIME_DIGITS;
    input.putLong(at, high);
    input.putLong(at + 8, low);
    input.putShort(at + 16, (short) port);
    byte[] value = hmac.begin(key(time / rotation)).add(input.array(), 0, INPUT).end();
    System.arraycopy(value, 0, mac, 0, MAC_BYTES);
    BASE64.encode(mac, macDigits);
    System.arraycopy(macDigits, 0, nonce, at, MAC_DIGITS);
  }

  private StunKey key(long period) {
    int place = (int) (period & 1);
    if (periods[place] != period) { // once in a period
      byte[] number = ByteBuffer.allocate(8).putLong(period).array();
      keys[place] = StunKey.of(hmac.begin(secret).add(number, 0, number.length).end().clone());
      periods[place] = period;
    }
    return keys[place];
  }
}
