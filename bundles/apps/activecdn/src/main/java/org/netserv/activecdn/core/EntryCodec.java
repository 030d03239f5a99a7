// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.netserv.http.HeadLimits;
import org.netserv.http.cache.CacheSettings;
import org.netserv.http.cache.SliceGrid;
import org.netserv.http.cache.StoredReader;
import org.netserv.http.cache.StoredResponse;

/**
 * Writes all of an entry but its content, for the disk. Integers are big-endian, texts have their
 * length before them.
 *
 * <pre>
 *   flags 1 | length 8 | Age 8 | request time 8 | response time 8
 *   of a slice: bytes of each slice 4 | index 8
 *   key 4+n | secondary key 4+n | head 4+n | surrogate keys 4, each 4+n
 * </pre>
 */
final class EntryCodec {
  private static final int INVALID = 1;
  private static final int SLICE = 2;
  private static final int NUMBERS = 1 + 4 * Long.BYTES;
  private static final int PLACE = Integer.BYTES + Long.BYTES; // of a slice

  private final StoredReader reader;

  EntryCodec(CacheSettings settings, HeadLimits limits) {
    reader = new StoredReader(settings, limits);
  }

  static byte[] write(Entry entry) {
    StoredResponse response = entry.head();
    byte[][] surrogates = new byte[entry.surrogates.size()][];
    int size = NUMBERS + (entry.isSlice() ? PLACE : 0) + 4 * Integer.BYTES;
    size += entry.key.length() + response.key().length + response.head().length;
    int count = 0;
    for (String surrogate : entry.surrogates) {
      surrogates[count] = surrogate.getBytes(StandardCharsets.UTF_8);
      size += Integer.BYTES + surrogates[count++].length;
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    int invalid = response.isInvalidated() ? INVALID : 0;
    out.put((byte) (invalid + (entry.isSlice() ? SLICE : 0))).putLong(response.length());
    out.putLong(response.ageSeconds());
    out.putLong(response.requestTime()).putLong(response.responseTime());
    if (entry.isSlice()) {
      out.putInt(entry.object.slices.grid().bytes()).putLong(entry.index);
    }
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
    boolean slice = (flags & SLICE) != 0;
    if (slice && in.remaining() < PLACE) {
      return null;
    }
    int sliceBytes = slice ? in.getInt() : 0;
    long index = slice ? in.getLong() : 0;
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
    StoredResponse known = invalid ? response.invalidated() : response;
    return slice
        ? slice(Key.ofOctets(key), known, surrogates, sliceBytes, index)
        : new Entry(Key.ofOctets(key), known, null, surrogates);
  }

  /** Makes a slice with an object of its own, or returns null if the object has no such slice. */
  private static Entry slice(
      Key key, StoredResponse response, Set<String> surrogates, int bytes, long index) {
    boolean sound =
        SliceGrid.isSize(bytes)
            && response.length() > 0
            && index >= 0
            && index <= (response.length() - 1) / bytes
            && response.hasStrongValidator();
    return sound
        ? new Entry(
            new Entry(key, response, surrogates, new Slices(new SliceGrid(bytes))), index, null)
        : null;
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

  /** Reads a text, or returns null if it is longer than the rest. */
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
