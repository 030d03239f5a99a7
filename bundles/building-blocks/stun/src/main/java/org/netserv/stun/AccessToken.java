// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An authorization server's word that a client may use a STUN server for a time, with the key of
 * the client's check values (RFC 7635, 6.2). The client cannot read it.
 *
 * <pre>
 *    0   2  length of the nonce, 12
 *    2  12  nonce
 *   14      sealed by {@link TokenKey}, the server's name as associated data:
 *        2    length of the key
 *             key
 *        8    seconds since 1970 at its making, 48 bits, and 1/64000 of a second, 16 bits
 *        4    lifetime in seconds
 *       16  tag of the seal
 * </pre>
 */
public final class AccessToken {
  /** Bytes of the shortest key, that of HMAC-SHA1. */
  public static final int KEY_LEAST = 20;

  /** Bytes of the longest key, the block of both hashes. */
  public static final int KEY_MOST = 64;

  private static final int KEY_OF_COTURN = 16;

  /** Seconds by which the clocks of both servers may differ. */
  static final int DELTA = 5;

  private static final int HEAD = 2 + TokenKey.NONCE;
  private static final int TAIL = 8 + 4;
  private static final int FRACTION_BITS = 16;

  /** Bytes of the shortest token. */
  static final int LEAST = HEAD + 2 + KEY_LEAST + TAIL + TokenKey.TAG;

  /** Bytes of the longest token. */
  static final int MOST = HEAD + 2 + KEY_MOST + TAIL + TokenKey.TAG;

  private final byte[] key;
  private final long made;
  private final long lifetime;

  /**
   * @param key {@link #KEY_LEAST} to {@link #KEY_MOST} bytes; nobody changes them
   * @param made seconds since 1970, below 2^47
   * @param lifetime seconds, of 32 bits
   * @throws IllegalArgumentException naming the parameter that is out of range
   */
  public AccessToken(byte[] key, long made, long lifetime) {
    require(key.length >= KEY_LEAST && key.length <= KEY_MOST, "key");
    require(made >= 0 && made < 1L << (Long.SIZE - 1 - FRACTION_BITS), "made");
    require(lifetime >= 0 && lifetime < 1L << Integer.SIZE, "lifetime");
    this.key = key;
    this.made = made;
    this.lifetime = lifetime;
  }

  private static void require(boolean condition, String parameter) {
    if (!condition) {
      throw new IllegalArgumentException(parameter + ": out of range");
    }
  }

  /** Returns the key of the check values, without a hash of names. */
  public StunKey key() {
    return StunKey.of(key);
  }

  /** Returns the key as coturn's client has it: its first 16 bytes, the length of a key by MD5. */
  StunKey cutKey() {
    return StunKey.of(Arrays.copyOf(key, KEY_OF_COTURN));
  }

  /** Returns the time of its making, in seconds since 1970. */
  public long made() {
    return made;
  }

  /** Returns its lifetime in seconds. */
  public long lifetime() {
    return lifetime;
  }

  /** Tells whether it holds at a time (RFC 7635, 7), in seconds since 1970. */
  boolean holds(long now) {
    return lifetime + DELTA > Math.abs(now - made);
  }

  /** Returns the seconds for which it still holds, at least 1 and at most its lifetime. */
  public long secondsLeft(long now) {
    return Math.max(1, Math.min(lifetime, made + lifetime - now));
  }

  /**
   * Returns the value of ACCESS-TOKEN.
   *
   * @param nonce {@link TokenKey#NONCE} bytes that this key has sealed nothing with
   * @param server the name in the server's THIRD-PARTY-AUTHORIZATION
   * @throws IllegalArgumentException if the nonce has another length
   */
  public byte[] seal(TokenKey with, byte[] nonce, String server) {
    require(nonce.length == TokenKey.NONCE, "nonce");
    ByteBuffer text = ByteBuffer.allocate(2 + key.length + TAIL);
    text.putShort((short) key.length).put(key);
    text.putLong(made << FRACTION_BITS).putInt((int) lifetime);
    byte[] sealed = with.seal(text.array(), nonce, server.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.allocate(HEAD + sealed.length)
        .putShort((short) nonce.length)
        .put(nonce)
        .put(sealed)
        .array();
  }

  /**
   * Opens the value in {@code [start, end)} of a buffer. Returns null if the key has not sealed it
   * for this server, or if what it has sealed is no token.
   */
  static AccessToken open(ByteBuffer from, int start, int end, TokenKey with, byte[] server) {
    int length = end - start;
    if (length < LEAST || length > MOST || from.getShort(start) != TokenKey.NONCE) {
      return null;
    }
    byte[] nonce = new byte[TokenKey.NONCE];
    from.get(start + 2, nonce);
    ByteBuffer text = with.open(from, start + HEAD, end, nonce, server);
    if (text == null) {
      return null;
    }
    int keyLength = text.getShort() & 0xffff;
    if (keyLength < KEY_LEAST || keyLength + TAIL != text.remaining()) {
      return null;
    }
    byte[] key = new byte[keyLength];
    text.get(key);
    long made = text.getLong();
    return made < 0
        ? null
        : new AccessToken(key, made >>> FRACTION_BITS, text.getInt() & 0xffff_ffffL);
  }
}
