// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.PublicKey;
import java.util.Arrays;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * The owner of a prefix lets another key register services of a prefix within it.
 *
 * <pre>
 *   0  type of the owner's key     1  reserved     2  bits of the prefix, 16 bits
 *   4      end, seconds since 1970, 64 bits
 *   12     serviceID, 32 bytes
 *   44     owner's key, 64 bytes
 *   108    signature over "serval delegation", type and key of the holder, and bytes 0 to 107
 * </pre>
 */
public final class Delegation {
  /** Bytes of a delegation. */
  static final int LENGTH = 172;

  private static final int SIGNED = LENGTH - KeyType.LENGTH;
  private static final byte[] PURPOSE = "serval delegation".getBytes(StandardCharsets.US_ASCII);

  private final byte[] bytes;

  private Delegation(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Signs a delegation.
   *
   * @param owner of a prefix that covers this one
   * @param holder the key that may register
   * @param until seconds since 1970
   */
  public static Delegation sign(KeyPair owner, PublicKey holder, ServicePrefix prefix, long until) {
    KeyType type = KeyType.of(owner.getPublic());
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    bytes.put(0, (byte) type.number());
    bytes.putShort(2, (short) prefix.bits());
    bytes.putLong(4, until);
    prefix.id().put(bytes, 12);
    bytes.put(44, type.bytes(owner.getPublic()));
    KeyType holders = KeyType.of(holder);
    byte[] text = text(holders, holders.bytes(holder), bytes.array());
    bytes.put(SIGNED, type.sign(owner.getPrivate(), text));
    return new Delegation(bytes.array());
  }

  private static byte[] text(KeyType holder, byte[] key, byte[] delegation) {
    return ByteBuffer.allocate(PURPOSE.length + 1 + key.length + SIGNED)
        .put(PURPOSE)
        .put((byte) holder.number())
        .put(key)
        .put(delegation, 0, SIGNED)
        .array();
  }

  /** Reads a delegation. Nothing of it is checked yet. */
  static Delegation get(ByteBuffer from, int at) {
    byte[] bytes = new byte[LENGTH];
    from.get(at, bytes);
    return new Delegation(bytes);
  }

  void put(ByteBuffer to, int at) {
    to.put(at, bytes);
  }

  /** Returns the prefix, null if there is none such. */
  ServicePrefix prefix() {
    ByteBuffer view = ByteBuffer.wrap(bytes);
    int bits = view.getShort(2) & 0xffff;
    return bits > ServiceId.BITS ? null : new ServicePrefix(ServiceId.get(view, 12), bits);
  }

  /** Returns the end in seconds since 1970. */
  long until() {
    return ByteBuffer.wrap(bytes).getLong(4);
  }

  /** Returns the type of the owner's key, null if there is none such. */
  KeyType ownerType() {
    return KeyType.of(bytes[0]);
  }

  /** Returns the 64 bytes of the owner's key. */
  byte[] owner() {
    return Arrays.copyOfRange(bytes, 44, SIGNED);
  }

  byte[] signature() {
    return Arrays.copyOfRange(bytes, SIGNED, LENGTH);
  }

  /** Returns the bytes that an owner signs for a holder. */
  byte[] text(KeyType holder, byte[] key) {
    return text(holder, key, bytes);
  }
}
