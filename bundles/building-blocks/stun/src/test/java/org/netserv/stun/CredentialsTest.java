// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.stun.StunAttribute.MESSAGE_INTEGRITY;
import static org.netserv.stun.StunAttribute.MESSAGE_INTEGRITY_SHA256;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CredentialsTest {
  private static final String REALM = "example.org";
  private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final long NOW = 1_800_000_000L;
  private static final int LIFETIME = 600;
  private static final int FEATURES =
      NonceCookie.PASSWORD_ALGORITHMS | NonceCookie.USERNAME_ANONYMITY;

  private final byte[] hash = UserHash.of("joe", REALM);
  private final LongTermUsers joe =
      new LongTermUsers() {
        @Override
        public StunKey find(ByteBuffer buffer, int start, int end, PasswordAlgorithm algorithm) {
          byte[] name = new byte[end - start];
          buffer.get(start, name);
          boolean known = new String(name, StandardCharsets.UTF_8).equals("joe");
          return known ? StunKey.longTerm("joe", REALM, "pass", algorithm) : null;
        }

        @Override
        public StunKey findHash(ByteBuffer buffer, int start, PasswordAlgorithm algorithm) {
          return ConstantTime.equal(buffer, start, hash, hash.length)
              ? StunKey.longTerm("joe", REALM, "pass", algorithm)
              : null;
        }
      };
  private final LongTermServer server = new LongTermServer(REALM, List.of(joe), nonces(FEATURES));
  private final Integrity integrity = new Integrity();

  private static Nonces nonces(int features) {
    return new Nonces(SECRET, LIFETIME, 3600, features);
  }

  private static StunMessage message(StunClass kind, Consumer<StunWriter> attributes) {
    ByteBuffer buffer = ByteBuffer.allocate(1000);
    StunWriter writer = new StunWriter().begin(buffer, 0, 1000, StunMethod.ALLOCATE, kind, 1, 2);
    attributes.accept(writer);
    assertTrue(writer.fits());
    StunMessage message = new StunMessage();
    assertEquals(StunError.OK, message.reset(buffer, 0, writer.end()));
    return message;
  }

  private StunMessage challenge(long now) {
    return message(StunClass.ERROR, w -> server.challenge(w, 0, 9, 5000, now));
  }

  /** A request as RFC 8489, 9.2.5 has it after this challenge. */
  private StunMessage request(StunMessage challenge, String user, String password) {
    PasswordAlgorithm algorithm = PasswordAlgorithms.firstKnown(challenge);
    return message(
        StunClass.REQUEST,
        w -> {
          if (user.equals("#")) {
            UserHash.put(w, hash);
          } else {
            StunBytes.put(w, StunAttribute.USERNAME, user.getBytes(StandardCharsets.UTF_8));
          }
          StunBytes.put(w, StunAttribute.REALM, challenge);
          StunBytes.put(w, StunAttribute.NONCE, challenge);
          StunBytes.put(w, StunAttribute.PASSWORD_ALGORITHMS, challenge);
          algorithm.put(w);
          integrity.put(
              w, MESSAGE_INTEGRITY_SHA256, StunKey.longTerm("joe", REALM, password, algorithm));
        });
  }

  private Standing check(StunMessage request, long now) {
    return server.check(request, 0, 9, 5000, now);
  }

  @Test
  void challengeThenCredentials() {
    StunMessage challenge = challenge(NOW);
    assertEquals(FEATURES, NonceCookie.features(challenge));
    StunMessage request = request(challenge, "joe", "pass");
    assertEquals(Standing.AUTHENTICATED, check(request, NOW + 1));
    StunMessage answer =
        message(StunClass.SUCCESS, w -> server.sign(w, server.answerWith(), server.key()));
    assertTrue(integrity.holds(answer, MESSAGE_INTEGRITY_SHA256, server.key()));
    assertEquals(Standing.AUTHENTICATED, check(request(challenge, "#", "pass"), NOW + 1));
  }

  @Test
  void refusals() {
    StunMessage challenge = challenge(NOW);
    assertEquals(Standing.UNKNOWN_USER, check(request(challenge, "jane", "pass"), NOW));
    assertEquals(Standing.WRONG_PASSWORD, check(request(challenge, "joe", "Pass"), NOW));
    assertNull(server.key());
    assertEquals(Standing.NO_INTEGRITY, check(message(StunClass.REQUEST, w -> {}), NOW));
    assertEquals(
        Standing.INCOMPLETE,
        check(
            message(
                StunClass.REQUEST,
                w -> integrity.put(w, MESSAGE_INTEGRITY, StunKey.shortTerm("x"))),
            NOW));
    assertEquals(401, Standing.WRONG_PASSWORD.status().code());
  }

  @Test
  void noncesAgeAndBelongToOneClient() {
    StunMessage request = request(challenge(NOW), "joe", "pass");
    assertEquals(Standing.AUTHENTICATED, check(request, NOW + LIFETIME));
    assertEquals(Standing.STALE_NONCE, check(request, NOW + LIFETIME + 1));
    assertEquals(Standing.STALE_NONCE, check(request, NOW + 1_000_000));
    assertEquals(Standing.FOREIGN_NONCE, check(request, NOW - 1));
    assertEquals(Standing.FOREIGN_NONCE, server.check(request, 0, 9, 5001, NOW));
    assertEquals(Standing.FOREIGN_NONCE, server.check(request, 0, 8, 5000, NOW));
    assertEquals(Standing.FOREIGN_NONCE, server.check(request, 1, 9, 5000, NOW));
  }

  @Test
  void noncesOutliveTheChangeOfTheKeyAndTheObject() {
    long edge = NOW / 3600 * 3600 + 3599;
    StunMessage before = challenge(edge);
    assertEquals(Nonces.State.VALID, nonces(FEATURES).check(before, 0, 9, 5000, edge + 300));
    assertEquals(
        Nonces.State.FOREIGN,
        new Nonces(new byte[16], LIFETIME, 3600, FEATURES).check(before, 0, 9, 5000, edge));
    assertFalse(
        StunBytes.equal(
            before, StunAttribute.NONCE, StunBytes.copy(challenge(NOW), StunAttribute.NONCE)));
  }

  /** Somebody on the path takes the offer away, and the client falls back to MD5. */
  @Test
  void biddingDownIsNoticed() {
    StunMessage challenge = challenge(NOW);
    StunMessage without =
        message(
            StunClass.REQUEST,
            w -> {
              StunBytes.put(w, StunAttribute.USERNAME, "joe".getBytes(StandardCharsets.UTF_8));
              StunBytes.put(w, StunAttribute.REALM, challenge);
              StunBytes.put(w, StunAttribute.NONCE, challenge);
              PasswordAlgorithm.MD5.put(w);
              integrity.put(w, MESSAGE_INTEGRITY, StunKey.shortTerm("x"));
            });
    assertEquals(Standing.ALGORITHM, check(without, NOW)); // PASSWORD-ALGORITHMS is missing
    Nonces other = nonces(0); // the nonce cookie without the bits
    StunMessage bare = message(StunClass.ERROR, w -> other.put(w, 0, 9, 5000, NOW));
    assertEquals(Nonces.State.FOREIGN, nonces(FEATURES).check(bare, 0, 9, 5000, NOW));
  }

  @Test
  void oldClientsUseMd5AndSha1() {
    StunMessage challenge = challenge(NOW);
    StunMessage request =
        message(
            StunClass.REQUEST,
            w -> {
              StunBytes.put(w, StunAttribute.USERNAME, "joe".getBytes(StandardCharsets.UTF_8));
              StunBytes.put(w, StunAttribute.REALM, challenge);
              StunBytes.put(w, StunAttribute.NONCE, challenge);
              integrity.put(
                  w,
                  MESSAGE_INTEGRITY,
                  StunKey.longTerm("joe", REALM, "pass", PasswordAlgorithm.MD5));
            });
    assertEquals(Standing.AUTHENTICATED, check(request, NOW));
    StunMessage answer =
        message(StunClass.SUCCESS, w -> server.sign(w, server.answerWith(), server.key()));
    assertTrue(integrity.holds(answer, MESSAGE_INTEGRITY, server.key()));
  }

  @Test
  void everyByteOfARequestIsProtected() {
    StunMessage request = request(challenge(NOW), "joe", "pass");
    ByteBuffer buffer = request.buffer();
    int authenticated = 0;
    for (int at = 0; at < request.end(); at++) {
      buffer.put(at, (byte) (buffer.get(at) ^ 1));
      StunMessage changed = new StunMessage();
      if (changed.reset(buffer, 0, request.end()) == StunError.OK) {
        authenticated += check(changed, NOW) == Standing.AUTHENTICATED ? 1 : 0;
      }
      buffer.put(at, (byte) (buffer.get(at) ^ 1));
    }
    assertEquals(0, authenticated);
  }

  /** The credentials of coturn's turnutils_uclient and of its documentation. */
  @Test
  void restCredentials() {
    byte[] old = "north".getBytes(StandardCharsets.US_ASCII);
    byte[] young = "south".getBytes(StandardCharsets.US_ASCII);
    String name = RestCredentials.username(NOW + 60, "joe");
    assertEquals("1800000060:joe", name);
    // printf 1800000060:joe | openssl dgst -sha1 -hmac north -binary | base64
    assertEquals(REST, new RestCredentials(List.of(old)).password(name));
    RestCredentials both = new RestCredentials(List.of(young, old));
    LongTermServer rest = new LongTermServer(REALM, both.users(REALM, () -> NOW), nonces(0));
    StunMessage request =
        message(
            StunClass.REQUEST,
            w -> {
              StunBytes.put(w, StunAttribute.USERNAME, name.getBytes(StandardCharsets.UTF_8));
              rest.challenge(w, 0, 9, 5000, NOW);
              integrity.put(
                  w, MESSAGE_INTEGRITY, StunKey.longTerm(name, REALM, REST, PasswordAlgorithm.MD5));
            });
    assertEquals(Standing.AUTHENTICATED, rest.check(request, 0, 9, 5000, NOW));
    LongTermServer later = new LongTermServer(REALM, both.users(REALM, () -> NOW + 61), nonces(0));
    assertEquals(Standing.UNKNOWN_USER, later.check(request, 0, 9, 5000, NOW));
    for (String bad : new String[] {"", "joe", ":joe", "12x:joe", "1234567890123:joe", "-5:joe"}) {
      ByteBuffer bytes = ByteBuffer.wrap(bad.getBytes(StandardCharsets.UTF_8));
      assertEquals(-1, RestCredentials.expiry(bytes, 0, bytes.limit()), bad);
    }
  }

  /** RFC 2202, 3, test cases 1 and 6 of HMAC-SHA-1. */
  @Test
  void restSecretsOfEachLength() {
    byte[] fits = new byte[20];
    Arrays.fill(fits, (byte) 0x0b);
    byte[] longer = new byte[80];
    Arrays.fill(longer, (byte) 0xaa);
    assertEquals(
        "thcxhlUFcmTii8C2+zeMjvFGvgA=", new RestCredentials(List.of(fits)).password("Hi There"));
    assertEquals(
        "qkrl4VJy0A6VcFY3zoo7Ve1AIRI=",
        new RestCredentials(List.of(longer))
            .password("Test Using Larger Than Block-Size Key - Hash Key First"));
    assertThrows(IllegalArgumentException.class, () -> new RestCredentials(List.of()));
    assertThrows(
        IllegalArgumentException.class, () -> new RestCredentials(List.of(fits, new byte[0])));
  }

  private static final String REST = "ctDse+rkH/ElhrT6fTkyTvEiY8A=";

  @Test
  void shortTerm() {
    ShortTermServer ice = new ShortTermServer();
    byte[] name = "evtj:h6vY".getBytes(StandardCharsets.US_ASCII);
    StunKey key = StunKey.shortTerm("VOkJxbRl1RmTxUk/WvJxBt");
    StunMessage request = Vectors.read(Vectors.REQUEST);
    assertEquals(Standing.AUTHENTICATED, ice.check(request, name, key));
    assertTrue(
        integrity.holds(message(StunClass.SUCCESS, w -> ice.sign(w, key)), MESSAGE_INTEGRITY, key));
    assertEquals(Standing.UNKNOWN_USER, ice.check(request, new byte[9], key));
    assertEquals(Standing.WRONG_PASSWORD, ice.check(request, name, StunKey.shortTerm("x")));
    assertEquals(Standing.INCOMPLETE, ice.check(Vectors.read(Vectors.RESPONSE4), name, key));
  }

  @Test
  void preparation() {
    assertEquals("TheMatrIX", OpaqueString.prepare("password", Vectors.PASSWORD));
    assertEquals(Vectors.USERNAME, OpaqueString.prepare("username", Vectors.USERNAME));
    // RFC 4013, 3: soft hyphen, no case mapping, compatibility forms
    assertEquals("IX", OpaqueString.prepare("x", "I\u00adX"));
    assertEquals("USER", OpaqueString.prepare("x", "USER"));
    assertEquals(" ~", OpaqueString.prepare("x", " ~"));
    assertEquals("a", OpaqueString.prepare("x", "\u00aa"));
    assertEquals("a b", OpaqueString.prepare("x", "a\u00a0b"));
    for (String bad :
        new String[] {"\u0007", "a\u007f", "\ue000", "\ud800", "a\u202eb", "\ufffd"}) {
      var thrown =
          assertThrows(IllegalArgumentException.class, () -> OpaqueString.prepare("realm", bad));
      assertTrue(thrown.getMessage().startsWith("realm: "));
    }
  }

  @Test
  void wrongParametersAreNamed() {
    assertThrows(IllegalArgumentException.class, () -> new Nonces(new byte[15], 1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> new Nonces(SECRET, 2, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> new Integrity(12));
    assertThrows(IllegalArgumentException.class, () -> new Integrity(18));
    assertThrows(IllegalArgumentException.class, () -> new RestCredentials(List.of()));
  }
}
