// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Values in the form of the MaxMind DB format 2.0. A byte has the type in its upper three bits and
 * the size in its lower five; types above 7 stand in a byte of their own behind it.
 */
final class MmdbData {
  private static final int UTF8 = 2;
  private static final int DOUBLE = 3;
  private static final int UINT16 = 5;
  private static final int UINT32 = 6;
  private static final int MAP = 7;
  private static final int UINT64 = 9;
  private static final int ARRAY = 11;

  /** Sizes from here on stand in a byte behind the type. */
  private static final int LONG_SIZE = 29;

  private static final int MOST_SIZE = LONG_SIZE + 255;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  int size() {
    return out.size();
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  /**
   * Adds a value: text, Double, Integer (16 bits), Long (32 bits), BigInteger (64 bits), a list or
   * a map of these.
   *
   * @throws IllegalArgumentException if a text or a map is longer than 284, or of another type
   */
  void value(Object value) {
    if (value instanceof Map<?, ?> map) {
      head(MAP, map.size());
      map.forEach(
          (key, inner) -> {
            value(key);
            value(inner);
          });
    } else if (value instanceof List<?> list) {
      head(ARRAY, list.size());
      list.forEach(this::value);
    } else if (value instanceof String text) {
      bytes(UTF8, text.getBytes(StandardCharsets.UTF_8));
    } else if (value instanceof Double number) {
      bytes(DOUBLE, ByteBuffer.allocate(Double.BYTES).putDouble(number).array());
    } else if (value instanceof Integer number) {
      bytes(UINT16, ByteBuffer.allocate(Short.BYTES).putShort(number.shortValue()).array());
    } else if (value instanceof Long number) {
      bytes(UINT32, ByteBuffer.allocate(Integer.BYTES).putInt(number.intValue()).array());
    } else if (value instanceof BigInteger number) {
      bytes(UINT64, ByteBuffer.allocate(Long.BYTES).putLong(number.longValue()).array());
    } else {
      throw new IllegalArgumentException("no such type: " + value);
    }
  }

  private void bytes(int type, byte[] content) {
    head(type, content.length);
    out.writeBytes(content);
  }

  private void head(int type, int size) {
    if (size >= MOST_SIZE) {
      throw new IllegalArgumentException("longer than " + MOST_SIZE);
    }
    boolean extended = type > MAP;
    out.write((extended ? 0 : type) << 5 | Math.min(size, LONG_SIZE));
    if (extended) {
      out.write(type - MAP);
    }
    if (size >= LONG_SIZE) {
      out.write(size - LONG_SIZE);
    }
  }
}
