// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Attributes whose value is text or bytes without inner structure: USERNAME, REALM, NONCE, SOFTWARE
 * and ALTERNATE-DOMAIN (RFC 8489), DATA (RFC 8656, 18.4), ACCESS-TOKEN (RFC 7635, 6.2),
 * MOBILITY-TICKET (RFC 8016, 3.4), PADDING (RFC 5780, 7.6). The range of a value is {@link
 * StunMessage#valueStart} to {@link StunMessage#valueEnd}.
 */
public final class StunBytes {
  private StunBytes() {}

  public static void put(StunWriter writer, StunAttribute type, byte[] value) {
    put(writer, type, value, 0, value.length);
  }

  public static void put(StunWriter writer, StunAttribute type, byte[] from, int first, int count) {
    int at = writer.add(type, count);
    if (at >= 0) {
      writer.buffer().put(at, from, first, count);
    }
  }

  /** Copies {@code [first, stop)} of a buffer. */
  public static void put(
      StunWriter writer, StunAttribute type, ByteBuffer from, int first, int stop) {
    int at = writer.add(type, stop - first);
    if (at >= 0) {
      writer.buffer().put(at, from, first, stop - first);
    }
  }

  /** Copies the attribute of another message, if that has it. */
  public static void put(StunWriter writer, StunAttribute type, StunMessage from) {
    int at = from.find(type);
    if (at >= 0) {
      put(writer, type, from.buffer(), from.valueStart(at), from.valueEnd(at));
    }
  }

  /** Tells whether the message has the attribute with exactly this value. In constant time. */
  public static boolean equal(StunMessage message, StunAttribute type, byte[] value) {
    int at = message.find(type);
    return at >= 0
        && message.length(at) == value.length
        && ConstantTime.equal(message.buffer(), message.valueStart(at), value, value.length);
  }

  /** Returns a copy of the value, or null if the attribute is absent. Allocates. */
  public static byte[] copy(StunMessage message, StunAttribute type) {
    int at = message.find(type);
    if (at < 0) {
      return null;
    }
    byte[] value = new byte[message.length(at)];
    message.buffer().get(message.valueStart(at), value);
    return value;
  }

  /** Returns the value as UTF-8 text, or null if the attribute is absent. Allocates. */
  public static String text(StunMessage message, StunAttribute type) {
    byte[] value = copy(message, type);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }
}
