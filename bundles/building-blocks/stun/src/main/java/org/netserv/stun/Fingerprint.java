// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * FINGERPRINT (RFC 8489, 14.7): the CRC-32 of the message up to it, XOR 0x5354554e. The header's
 * length counts FINGERPRINT in. Belongs to one thread.
 */
public final class Fingerprint {
  private static final int MASK = 0x5354554e;
  private static final int CHUNK = 512;

  private final CRC32 crc = new CRC32();
  private final byte[] chunk = new byte[CHUNK];

  /** Tells whether the message has a FINGERPRINT that is right. */
  public boolean holds(StunMessage message) {
    int at = message.find(StunAttribute.FINGERPRINT);
    return at >= 0
        && message.buffer().getInt(message.valueStart(at))
            == of(message.buffer(), message.start(), at);
  }

  /** Tells whether the message has no wrong FINGERPRINT. */
  public boolean holdsIfPresent(StunMessage message) {
    return !message.has(StunAttribute.FINGERPRINT) || holds(message);
  }

  /** Adds FINGERPRINT. Nothing may be added behind it. */
  public void put(StunWriter writer) {
    int at = writer.add(StunAttribute.FINGERPRINT, 4);
    if (at >= 0) {
      writer.buffer().putInt(at, of(writer.buffer(), writer.start(), at - 4));
    }
  }

  private int of(ByteBuffer buffer, int start, int end) {
    crc.reset();
    for (int at = start; at < end; at += CHUNK) { // update(ByteBuffer) would move its position
      int count = Math.min(CHUNK, end - at);
      buffer.get(at, chunk, 0, count);
      crc.update(chunk, 0, count);
    }
    return (int) crc.getValue() ^ MASK;
  }
}
