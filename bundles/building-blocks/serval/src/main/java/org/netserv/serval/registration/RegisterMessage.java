// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/** The fields of a REGISTER, each read once. {@link Messages} has their places. */
final class RegisterMessage {
  private static final int OWNER_BYTES = 16;
  private static final byte[] PURPOSE = "serval registration".getBytes(StandardCharsets.US_ASCII);

  private final byte[] bytes;
  private final ByteBuffer view;
  private final ByteBuffer cookie;
  private final ServicePrefix prefix;
  private final byte[] key;
  private final Delegation delegation;

  /**
   * Reads a message.
   *
   * @param bytes with a length that {@link Messages#type} has checked
   */
  RegisterMessage(byte[] bytes) {
    this.bytes = bytes;
    view = ByteBuffer.wrap(bytes);
    cookie = ByteBuffer.wrap(Messages.bytes(view, Messages.COOKIE, Messages.HASH));
    int bits = view.getShort(Messages.BITS) & 0xffff;
    prefix =
        bits > ServiceId.BITS
            ? ServicePrefix.DEFAULT
            : new ServicePrefix(ServiceId.get(view, Messages.ID), bits);
    key = Messages.bytes(view, Messages.KEY, KeyType.LENGTH);
    delegation =
        bytes.length > Messages.REGISTER_LENGTH
            ? Delegation.get(view, Messages.REGISTER_LENGTH)
            : null;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Returns the part of the nonce that a refusal has in place of a handle. */
  long nonce() {
    return view.getLong(Messages.NONCE);
  }

  int minute() {
    return view.getInt(Messages.MINUTE);
  }

  ByteBuffer cookie() {
    return cookie;
  }

  /** Returns the host's X25519 key. */
  byte[] agreement() {
    return Messages.bytes(view, Messages.AGREEMENT, Messages.HASH);
  }

  /** Returns the seconds, which have 32 bits without a sign. */
  long lifetime() {
    return view.getInt(Messages.LIFETIME) & 0xffffffffL;
  }

  int weight() {
    return view.getShort(Messages.WEIGHT) & 0xffff;
  }

  /** Returns the prefix. A length of more than 256 bits makes it that of all serviceIDs. */
  ServicePrefix prefix() {
    return prefix;
  }

  /** Returns the type of the key, null if there is none such. */
  KeyType keyType() {
    return KeyType.of(bytes[Messages.KEY_TYPE]);
  }

  /** Returns the 64 bytes of the key. */
  byte[] key() {
    return key;
  }

  /** Tells whether the message has a delegation exactly if it says so. */
  boolean tellsDelegation() {
    return (delegation != null) == (bytes[Messages.DELEGATED] == 1);
  }

  /** Returns the delegation, null if there is none. */
  Delegation delegation() {
    return delegation;
  }

  byte[] signature() {
    return Messages.bytes(view, Messages.SIGNATURE, KeyType.LENGTH);
  }

  /** Returns the parts by which the registration replaces another one. */
  HeldRegistration.Key held(Endpoint host) {
    return new HeldRegistration.Key(prefix, host, HexFormat.of().formatHex(key, 0, OWNER_BYTES));
  }

  /** Returns the end of the right in seconds since 1970. */
  long rightUntil() {
    return delegation == null ? Long.MAX_VALUE : delegation.until();
  }

  /** Returns the bytes that a REGISTER signs: all but the signature, and the router's key. */
  static byte[] text(byte[] register, byte[] router) {
    int behind = Messages.SIGNATURE + KeyType.LENGTH;
    return ByteBuffer.allocate(PURPOSE.length + register.length - KeyType.LENGTH + router.length)
        .put(PURPOSE)
        .put(register, 0, Messages.SIGNATURE)
        .put(register, behind, register.length - behind)
        .put(router)
        .array();
  }
}
