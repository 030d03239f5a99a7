// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A message taken apart into its objects, to be put together wrongly. The length stays right. */
final class Edited {
  private final byte[] header;
  final List<byte[]> objects = new ArrayList<>();

  private Edited(byte[] message) {
    header = Arrays.copyOf(message, 8);
    int at = 8;
    while (at < message.length) {
      int end = at + 4 + 4 * (NetworkOrder.get16(message, at + 2) & 0xfff);
      objects.add(Arrays.copyOfRange(message, at, end));
      at = end;
    }
  }

  static Edited of(String name) {
    return new Edited(Vectors.bytes(name));
  }

  static Edited of(byte[] message) {
    return new Edited(message);
  }

  /** An object with its header. */
  static byte[] object(int extensibility, int type, String value) {
    byte[] bytes = HexFormat.of().parseHex(value);
    return new WireWriter(8)
        .put16(extensibility << 14 | type)
        .put16(bytes.length / 4)
        .put(bytes)
        .toBytes();
  }

  /** Position of the object of that type. */
  int indexOf(int type) {
    for (int i = 0; i < objects.size(); i++) {
      if (type(objects.get(i)) == type) {
        return i;
      }
    }
    throw new AssertionError("no object of type " + type);
  }

  static int type(byte[] object) {
    return NetworkOrder.get16(object, 0) & 0xfff;
  }

  Edited header(int at, int value) {
    header[at] = (byte) value;
    return this;
  }

  Edited remove(int type) {
    objects.remove(indexOf(type));
    return this;
  }

  Edited insert(int index, byte[] object) {
    objects.add(index, object);
    return this;
  }

  /** Overwrites a byte of the object of that type; offsets count from the object's header. */
  Edited patch(int type, int offset, int value) {
    objects.get(indexOf(type))[offset] = (byte) value;
    return this;
  }

  /** Another value for the object of that type, its length made right. */
  Edited value(int type, String value) {
    objects.set(indexOf(type), object(0, type, value));
    return this;
  }

  /** Returns an object with words added or removed at its end, and with its length corrected. */
  static byte[] resized(byte[] object, int words) {
    byte[] out = Arrays.copyOf(object, object.length + 4 * words);
    NetworkOrder.put16(out, 2, out.length / 4 - 1);
    return out;
  }

  byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(header);
    objects.forEach(out::writeBytes);
    byte[] bytes = out.toByteArray();
    NetworkOrder.put16(bytes, 2, (bytes.length - 8) / 4);
    return bytes;
  }

  MalformedMessageException refused() {
    return refused(bytes());
  }

  static MalformedMessageException refused(byte[] bytes) {
    return assertThrows(MalformedMessageException.class, () -> GistMessage.decode(bytes));
  }
}
