// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.netserv.http.HeadLimits;
import org.netserv.http.cache.CacheSettings;
import org.netserv.http.cache.StoredReader;
import org.netserv.http.cache.StoredResponse;

/**
 * Writes all of an entry but its content, for the disk. Integers are big-endian, texts have their
 * length before them.
 *
 * <pre>
 *   flags 1 | length 8 | Age 8 | request time 8 | response time 8
 *   key 4+n | secondary key 4+n | head 4+n | surrogate keys 4, each 4+n
 * </pre>
 */
final class EntryCodec {
  private static final int INVALID = 1;
  private static final int NUMBERS = 1 + 4 * Long.BYTES;

  private final StoredReader reader;

  EntryCodec(CacheSettings settings, HeadLimits limits) {
    reader = new StoredReader(settings, limits);
  }

  static byte[] write(Entry entry) {
    StoredResponse response = entry.response;
    byte[][] surrogates = new byte[entry.surrogates.size()][];
    int size = NUMBERS + 4 * Integer.BYTES;
    size += entry.key.length() + response.key().length + response.head().length;
    int count = 0;
    for (String surrogate : entry.surrogates) {
      surrogates[count] = surrogate.getBytes(StandardCharsets.UTF_8);
      size += Integer.BYTES + surrogates[count++].length;
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put((byte) (response.isInvalidated() ? INVALID : 0)).putLong(response.length());
    out.putLong(response.ageSeconds());
    out.putLong(response.requestTime()).putLong(response.responseTime());
    put(out, entry.key.octets());
    put(out, response.key());
    put(out, response.head());
    out.putInt(count);
    for (byte[] surrogate : surrogates) {
      put(out, surrogate);
    }
    return out.array();
  }

  private static void put(ByteBuffer out, byte[] text) {
    out.putInt(text.length).put(text);
  }

  /** Reads an entry without a content, or returns null if the octets are not exactly one. */
  Entry read(byte[] octets) {
    ByteBuffer in = ByteBuffer.wrap(octets);
    if (in.remaining() < NUMBERS) {
      return null;
    }
    int flags = in.get();
    long length = in.getLong();
    long age = in.getLong();
    long requested = in.getLong();
    long received = in.getLong();
    byte[] key = text(in);
    byte[] secondary = text(in);
    byte[] head = text(in);
    Set<String> surrogates = surrogates(in);
    if (key == null || secondary == null || head == null || surrogates == null) {
      return null;
    }
    StoredResponse response = reader.read(head, secondary, length, age, requested, received);
    if (response == null || in.hasRemaining()) {
      return null;
    }
    boolean invalid = (flags & INVALID) != 0;
    return new Entry(
        Key.ofOctets(key), invalid ? response.invalidated() : response, null, surrogates);
  }

  private static Set<String> surrogates(ByteBuffer in) {
    int count = in.remaining() < Integer.BYTES ? -1 : in.getInt();
    if (count < 0 || count > in.remaining() / Integer.BYTES) {
      return null;
    }
    Set<String> surrogates = new HashSet<>();
    for (int i = 0; i < count; i++) {
      byte[] text = text(in);
      if (text == null) {
        return null;
      }
      surrogates.add(new String(text, StandardCharsets.UTF_8));
    }
    return surrogates;
  }

  /** Reads a text, or returns null if it is longer than what is there. */
  private static byte[] text(ByteBuffer in) {
    int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
    if (length < 0 || length > in.remaining()) {
      return null;
    }
    byte[] text = new byte[length];
    in.get(text);
    return text;
  }
}
