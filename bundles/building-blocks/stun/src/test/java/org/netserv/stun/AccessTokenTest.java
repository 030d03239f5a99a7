// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.stun.StunAttribute.MESSAGE_INTEGRITY;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens of RFC 7635, also those that coturn's turnutils_oauth 4.6.1 has made. */
class AccessTokenTest {
  private static final String SERVER = "blackdow.carleon.gov";
  private static final String KID = "2783466234";
  private static final String REALM = "example.org";
  private static final byte[] LONG_KEY = bytes("HGkj32KJGiuy098sdfaqbNjOiaz71923");
  private static final byte[] MAC_KEY = bytes("ZksjpweoixXmvn67534m");
  private static final byte[] NONCE = bytes("h4j3k2l2n4b5");
  private static final long MADE = 92470300704768L >> 16;
  private static final int LIFETIME = 3600;

  private final AccessToken token = new AccessToken(MAC_KEY, MADE, LIFETIME);
  private final TokenKey key = new TokenKey(KID, LONG_KEY);
  private final Nonces nonces = new Nonces(new byte[16], 600, 3600, 0);
  private final LongTermServer server =
      new LongTermServer(REALM, List.of(), new AccessTokens(SERVER, List.of(key)), nonces);
  private final Integrity integrity = new Integrity();

  /** Seals with the same nonce again, which a key's own cipher refuses. */
  private static byte[] seal(AccessToken of) {
    return of.seal(new TokenKey(KID, LONG_KEY), NONCE, SERVER);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static AccessToken open(byte[] value, int length, TokenKey with, String server) {
    return AccessToken.open(ByteBuffer.wrap(value), 0, length, with, bytes(server));
  }

  @ParameterizedTest
  @CsvSource({
    "32, AAxoNGozazJsMm40YjVhfvE0o9XkTpoZzH3BBLDAPQOypVHY/fXNO23KbxDPt35bLd7ITSk6XFBJk1nwwuJvdg==",
    "16, AAxoNGozazJsMm40YjV/uemfCCe+PfHhvWUUk9MDHTbfVweXhK7l6stl+tTyf6saP5eXS2n4UbJL9a8J7aNX4A=="
  })
  void anotherImplementationsTokens(int keyLength, String base64) {
    TokenKey with = new TokenKey(KID, Arrays.copyOf(LONG_KEY, keyLength));
    byte[] theirs = Base64.getDecoder().decode(base64);
    assertArrayEquals(theirs, token.seal(with, NONCE, SERVER));
    AccessToken opened = open(theirs, theirs.length, with, SERVER);
    assertEquals(MADE, opened.made());
    assertEquals(LIFETIME, opened.lifetime());
  }

  @Test
  void keysOfEachLengthComeBack() {
    Random random = new Random(7635);
    for (int length = AccessToken.KEY_LEAST; length <= AccessToken.KEY_MOST; length++) {
      byte[] macKey = new byte[length];
      random.nextBytes(macKey);
      long made = random.nextLong() >>> 17;
      long lifetime = random.nextLong() >>> 32;
      byte[] value = seal(new AccessToken(macKey, made, lifetime));
      AccessToken opened = open(value, value.length, key, SERVER);
      assertEquals(made, opened.made());
      assertEquals(lifetime, opened.lifetime());
      assertArrayEquals(value, seal(opened));
    }
  }

  @Test
  void whatIsOutOfRangeIsNoToken() {
    byte[] none = new byte[AccessToken.KEY_LEAST - 1];
    byte[] much = new byte[AccessToken.KEY_MOST + 1];
    assertThrows(IllegalArgumentException.class, () -> new AccessToken(none, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new AccessToken(much, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new AccessToken(MAC_KEY, 1L << 47, 0));
    assertThrows(IllegalArgumentException.class, () -> new AccessToken(MAC_KEY, 0, 1L << 32));
    assertThrows(IllegalArgumentException.class, () -> token.seal(key, new byte[11], SERVER));
    assertThrows(IllegalArgumentException.class, () -> new TokenKey("x", new byte[24]));
    assertThrows(IllegalArgumentException.class, () -> new TokenKey("", LONG_KEY));
    assertThrows(IllegalArgumentException.class, () -> new AccessTokens("", List.of(key)));
    assertThrows(IllegalArgumentException.class, () -> new AccessTokens("x", List.of(key, key)));
  }

  @Test
  void aTokenIsForOneServerAndOfOneKey() {
    byte[] value = seal(token);
    assertNotNull(open(value, value.length, key, SERVER));
    assertNull(open(value, value.length, key, "blackdow.carleon.com"));
    assertNull(open(value, value.length, new TokenKey(KID, new byte[32]), SERVER));
  }

  @Test
  void eachCutAndEachFlippedBitIsRefused() {
    byte[] value = seal(token);
    for (int i = 0; i < value.length; i++) {
      assertNull(open(value, i, key, SERVER));
      assertNull(open(Arrays.copyOf(value, i), i, key, SERVER));
    }
    assertNull(open(Arrays.copyOf(value, value.length + 1), value.length + 1, key, SERVER));
    for (int bit = 0; bit < 8 * value.length; bit++) {
      value[bit / 8] ^= (byte) (1 << bit % 8);
      assertNull(open(value, value.length, key, SERVER), "bit " + bit);
      value[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  /** An authorization server that seals something else than a token. */
  @Test
  void whatIsSealedMayBeAnything() {
    Random random = new Random(1);
    for (int i = 0; i < 5000; i++) {
      byte[] text = new byte[34 + random.nextInt(45)];
      random.nextBytes(text);
      text[0] = 0;
      text[1] = (byte) (random.nextBoolean() ? text.length - 14 : random.nextInt(100));
      byte[] sealed = new TokenKey(KID, LONG_KEY).seal(text, NONCE, bytes(SERVER));
      byte[] value = ByteBuffer.allocate(14 + sealed.length).put(new byte[] {0, 12}).array();
      System.arraycopy(NONCE, 0, value, 2, 12);
      System.arraycopy(sealed, 0, value, 14, sealed.length);
      boolean right = text[1] >= 20 && text[1] == text.length - 14 && text[2 + text[1]] >= 0;
      assertEquals(right, open(value, value.length, key, SERVER) != null);
    }
  }

  private StunMessage request(AccessToken with, String kid, byte[] macKey, long now) {
    ByteBuffer buffer = ByteBuffer.allocate(1000);
    StunWriter writer =
        new StunWriter().begin(buffer, 0, 1000, StunMethod.ALLOCATE, StunClass.REQUEST, 1, 2);
    StunBytes.put(writer, StunAttribute.ACCESS_TOKEN, seal(with));
    StunBytes.put(writer, StunAttribute.USERNAME, bytes(kid));
    StunBytes.put(writer, StunAttribute.REALM, bytes(REALM));
    nonces.put(writer, 0, 9, 5000, now);
    integrity.put(writer, MESSAGE_INTEGRITY, StunKey.of(macKey));
    StunMessage message = new StunMessage();
    assertEquals(StunError.OK, message.reset(buffer, 0, writer.end()));
    return message;
  }

  private Standing check(StunMessage request, long now) {
    return server.check(request, 0, 9, 5000, now);
  }

  @Test
  void aServerTakesATokenForItsTime() {
    for (long now : new long[] {MADE - LIFETIME - 4, MADE, MADE + 1, MADE + LIFETIME + 4}) {
      assertEquals(Standing.AUTHENTICATED, check(request(token, KID, MAC_KEY, now), now));
      assertEquals(Math.max(1, Math.min(3600, MADE + 3600 - now)), server.token().secondsLeft(now));
    }
    for (long now : new long[] {MADE - LIFETIME - 5, MADE + LIFETIME + 5}) {
      assertEquals(Standing.BAD_TOKEN, check(request(token, KID, MAC_KEY, now), now));
    }
  }

  @Test
  void coturnsClientSignsWithSixteenBytes() {
    byte[] cut = Arrays.copyOf(MAC_KEY, 16);
    assertEquals(Standing.AUTHENTICATED, check(request(token, KID, cut, MADE), MADE));
    StunMessage again = request(token, KID, cut, MADE);
    assertTrue(integrity.holds(again, MESSAGE_INTEGRITY, server.key()));
    byte[] shorter = Arrays.copyOf(MAC_KEY, 15);
    assertEquals(Standing.WRONG_PASSWORD, check(request(token, KID, shorter, MADE), MADE));
  }

  @Test
  void aServerRefusesByName() {
    assertEquals(Standing.BAD_TOKEN, check(request(token, "other", MAC_KEY, MADE), MADE));
    byte[] wrong = MAC_KEY.clone();
    wrong[0]++;
    assertEquals(Standing.WRONG_PASSWORD, check(request(token, KID, wrong, MADE), MADE));
    assertNull(server.key());
    assertEquals(401, Standing.BAD_TOKEN.status().code());
    LongTermServer without = new LongTermServer(REALM, List.of(), nonces);
    assertEquals(
        Standing.UNKNOWN_USER, without.check(request(token, KID, MAC_KEY, MADE), 0, 9, 5000, MADE));
  }

  @Test
  void aChallengeNamesTheServer() {
    ByteBuffer buffer = ByteBuffer.allocate(1000);
    StunWriter writer =
        new StunWriter().begin(buffer, 0, 1000, StunMethod.ALLOCATE, StunClass.ERROR, 1, 2);
    server.challenge(writer, 0, 9, 5000, MADE);
    StunMessage message = new StunMessage();
    assertEquals(StunError.OK, message.reset(buffer, 0, writer.end()));
    assertTrue(StunBytes.equal(message, StunAttribute.THIRD_PARTY_AUTHORIZATION, bytes(SERVER)));
  }
}
