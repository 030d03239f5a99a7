// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/**
 * MESSAGE-INTEGRITY and MESSAGE-INTEGRITY-SHA256 (RFC 8489, 14.5 and 14.6): the HMAC of the message
 * up to the attribute. The header's length counts the attribute in, and nothing behind it.
 * Comparison takes the same time wherever two values differ. Belongs to one thread.
 */
public final class Integrity {
  /** Bytes of a MESSAGE-INTEGRITY-SHA256 that is not truncated. */
  public static final int SHA256_WHOLE = 32;

  private final Hmac sha1 = new Hmac(Hmac.SHA1);
  private final Hmac sha256 = new Hmac(Hmac.SHA256);
  private final byte[] header = new byte[StunMessage.HEADER];
  private final int least256;

  /** Accepts no truncated value, as a usage has to that defines no truncation (TURN, SIP). */
  public Integrity() {
    this(SHA256_WHOLE);
  }

  /**
   * @param least256 the least bytes of a MESSAGE-INTEGRITY-SHA256 that the usage accepts, 16 to 32
   * @throws IllegalArgumentException outside this range, or if it is no multiple of 4
   */
  public Integrity(int least256) {
    if (least256 < 16 || least256 > SHA256_WHOLE || least256 % 4 != 0) {
      throw new IllegalArgumentException(
          "least256: " + least256 + " is not a multiple of 4 between 16 and 32");
    }
    this.least256 = least256;
  }

  /**
   * Tells whether the message has the check value of this type, and has it from somebody who knows
   * the key.
   */
  public boolean holds(StunMessage message, StunAttribute type, StunKey key) {
    int at = message.find(type);
    if (at < 0) {
      return false;
    }
    int length = message.length(at);
    if (type == StunAttribute.MESSAGE_INTEGRITY_SHA256 && length < least256) {
      return false;
    }
    ByteBuffer buffer = message.buffer();
    byte[] value = of(buffer, message.start(), at, length, type, key);
    return ConstantTime.equal(buffer, message.valueStart(at), value, length);
  }

  /** Adds the check value of this type, not truncated. Only FINGERPRINT may follow. */
  public void put(StunWriter writer, StunAttribute type, StunKey key) {
    put(writer, type, key, type == StunAttribute.MESSAGE_INTEGRITY ? 20 : SHA256_WHOLE);
  }

  /**
   * Adds the check value of this type.
   *
   * @param length of the value; below 32 it is truncated, which only SHA-256 may be
   */
  void put(StunWriter writer, StunAttribute type, StunKey key, int length) {
    int at = writer.add(type, length);
    if (at >= 0) {
      byte[] value = of(writer.buffer(), writer.start(), at - 4, length, type, key);
      writer.buffer().put(at, value, 0, length);
    }
  }

  private byte[] of(
      ByteBuffer buffer, int start, int attribute, int length, StunAttribute type, StunKey key) {
    int counted = attribute + 4 + length - start - StunMessage.HEADER;
    buffer.get(start, header);
    header[2] = (byte) (counted >>> 8);
    header[3] = (byte) counted;
    return (type == StunAttribute.MESSAGE_INTEGRITY ? sha1 : sha256)
        .begin(key)
        .add(header, 0, header.length)
        .add(buffer, start + StunMessage.HEADER, attribute)
        .end();
  }
}
