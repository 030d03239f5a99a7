// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.util.Arrays;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * A key that registers services, with the delegation by which it may, if it needs one.
 *
 * @param pair of Ed25519 or P-256
 * @param delegation null if the key is the serviceID's own, or known to the router
 */
public record SigningKey(KeyPair pair, Delegation delegation) {
  /** Bytes of a serviceID that are free: the other 20 are of a hash. */
  public static final int FREE = 12;

  private static final int HASHED = ServiceId.LENGTH - FREE;

  /** Checks the key. */
  public SigningKey {
    KeyType unused = KeyType.of(pair.getPublic());
  }

  public SigningKey(KeyPair pair) {
    this(pair, null);
  }

  /** Returns the type of the key. */
  public KeyType type() {
    return KeyType.of(pair.getPublic());
  }

  /** Returns the 64 bytes of the public key on the wire. */
  byte[] wire() {
    return type().bytes(pair.getPublic());
  }

  /**
   * Returns the serviceID of this key that begins with these bytes. Its last 160 bits are those of
   * SHA-256 of the key's type, of its 64 bytes, and of the first 12 bytes.
   *
   * @param first 12 bytes
   */
  public ServiceId id(byte[] first) {
    return id(type(), wire(), first);
  }

  /** Tells whether a serviceID is that of a key. Only a whole one is. */
  static boolean owns(KeyType type, byte[] wire, ServicePrefix prefix) {
    if (prefix.bits() != ServiceId.BITS) {
      return false;
    }
    ByteBuffer bytes = ByteBuffer.allocate(ServiceId.LENGTH);
    prefix.id().put(bytes, 0);
    return id(type, wire, Arrays.copyOf(bytes.array(), FREE)).equals(prefix.id());
  }

  private static ServiceId id(KeyType type, byte[] wire, byte[] first) {
    if (first.length != FREE) {
      throw new IllegalArgumentException("not 12 bytes: " + first.length);
    }
    byte[] key = ByteBuffer.allocate(1 + wire.length).put((byte) type.number()).put(wire).array();
    byte[] whole = Arrays.copyOf(first, ServiceId.LENGTH);
    System.arraycopy(Secrets.sha256(key, first), 0, whole, FREE, HASHED);
    return ServiceId.get(ByteBuffer.wrap(whole), 0);
  }
}
