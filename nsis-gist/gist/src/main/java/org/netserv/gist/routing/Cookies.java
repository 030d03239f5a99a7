// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;

/**
 * Makes and verifies cookies (RFC 5971 section 8.5). A Query-Cookie is 16 random bytes. A
 * Responder-Cookie has everything that a responder remembers of a Query, and the querier keeps it:
 *
 * <pre>
 *    0                   1                   2                   3
 *   +---------------------------------------------------------------+
 *   |  generation of the secret: a random number, in the clear      |
 *   +---------------------------------------------------------------+
 *   |  index of the interface where the Query came in               |
 *   +---------------+---------------+-------------------------------+
 *   |  flags        |  IP hops      |  UDP port of the querier      |
 *   +---------------+---------------+-------------------------------+
 *   |  when it was made: milliseconds of our clock, the low 32 bits |
 *   +---------------------------------------------------------------+
 *   |  first 16 bytes of HMAC-SHA-256 over the 16 bytes above, the
 *   |  key of the routing state, and identity and address of the querier
 * </pre>
 *
 * Unlike the RFC's example the MAC covers the session too. Otherwise one session's cookie could
 * install state for another session. A secret is used for {@code lifetime} and accepted for as long
 * again. A cookie is accepted for {@code lifetime}. The time in a cookie orders Confirms, so that a
 * replayed Confirm cannot undo a later one.
 */
public final class Cookies {
  static final int QUERY_LENGTH = 16;
  private static final int CLEAR = 16;
  private static final int MAC = 16;

  /** Flag: the Response offered stacks, so the Confirm has to come over an association. */
  static final int OFFERED = 1;

  /**
   * The facts about the Query that a Responder-Cookie carries.
   *
   * @param port UDP port where the querier takes replies
   * @param made time of the cookie in milliseconds of our clock, low 32 bits
   */
  record Memory(int interfaceIndex, int flags, int distance, int port, int made) {
    boolean offered() {
      return (flags & OFFERED) != 0;
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  private record Secret(int generation, byte[] key, long since) {}

  private final RandomGenerator random;
  private final long lifetime;
  private final Mac mac;
  private Secret current;
  private Secret former;

  /**
   * Creates the cookies of one node.
   *
   * @param lifetime of a secret, ms
   */
  Cookies(RandomGenerator random, long lifetime, long now) {
    this.random = random;
    this.lifetime = lifetime;
    try {
      this.mac = Mac.getInstance("HmacSHA256");
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible); // every JDK has it
    }
    this.current = fresh(now);
  }

  QueryCookie query() {
    return new QueryCookie(bytes(QUERY_LENGTH));
  }

  /** Makes a cookie for this state and stores nothing. */
  ResponderCookie responder(RoutingKey key, NetworkLayerInfo peer, Memory memory, long now) {
    rotate(now);
    byte[] clear =
        ByteBuffer.allocate(CLEAR)
            .putInt(current.generation)
            .putInt(memory.interfaceIndex)
            .put((byte) memory.flags)
            .put((byte) memory.distance)
            .putShort((short) memory.port)
            .putInt(memory.made)
            .array();
    byte[] cookie = Arrays.copyOf(clear, CLEAR + MAC);
    System.arraycopy(mac(current, clear, key, peer), 0, cookie, CLEAR, MAC);
    return new ResponderCookie(cookie);
  }

  /**
   * Returns the facts in a cookie if the cookie is ours, for this state and this peer, and not too
   * old.
   */
  Optional<Memory> verify(ResponderCookie cookie, RoutingKey key, NetworkLayerInfo peer, long now) {
    byte[] bytes = cookie.bytes();
    if (bytes.length != CLEAR + MAC) {
      return Optional.empty();
    }
    rotate(now);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int generation = in.getInt();
    Secret secret = generation == current.generation ? current : former;
    if (secret == null || secret.generation != generation) {
      return Optional.empty(); // before any cryptography, because most guesses end here
    }
    byte[] expected = mac(secret, Arrays.copyOf(bytes, CLEAR), key, peer);
    if (!MessageDigest.isEqual(
        Arrays.copyOf(expected, MAC), Arrays.copyOfRange(bytes, CLEAR, CLEAR + MAC))) {
      return Optional.empty();
    }
    Memory memory =
        new Memory(
            in.getInt(), in.get() & 0xff, in.get() & 0xff, in.getShort() & 0xffff, in.getInt());
    int age = (int) now - memory.made;
    return age >= 0 && age <= lifetime ? Optional.of(memory) : Optional.empty();
  }

  /**
   * Returns whether a cookie was made before another cookie that is still good, or at the same
   * time. Their times have 32 bits, 50 days, so a cookie that is too old to be good is not
   * compared.
   */
  boolean notAfter(int made, int other, long now) {
    long age = Integer.toUnsignedLong((int) now - other);
    return age <= lifetime && made - other <= 0;
  }

  private byte[] mac(Secret secret, byte[] clear, RoutingKey key, NetworkLayerInfo peer) {
    try {
      mac.init(new SecretKeySpec(secret.key, "HmacSHA256"));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible); // any bytes are a key for HMAC
    }
    mac.update(clear);
    mac.update(key.session().bytes());
    mac.update((byte) (key.nslpId() >> 8));
    mac.update((byte) key.nslpId());
    field(key.mri().value());
    field(peer.peerIdentity());
    field(peer.address().getAddress());
    return mac.doFinal();
  }

  /** Adds a field with its length, so that no two sequences of fields have the same bytes. */
  private void field(byte[] value) {
    mac.update((byte) (value.length >> 8));
    mac.update((byte) value.length);
    mac.update(value);
  }

  private void rotate(long now) {
    if (now - current.since < lifetime) {
      return;
    }
    former = now - current.since < 2 * lifetime ? current : null;
    current = fresh(now);
  }

  private Secret fresh(long now) {
    return new Secret(random.nextInt(), bytes(32), now);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
