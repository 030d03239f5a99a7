// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * An object of a type that we do not know.
 *
 * @param extensibility AB-flags, 0 to 3 (appendix A.2.1)
 * @param value whole words
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record UnknownObject(int extensibility, int type, byte[] value) implements GistObject {
  /** AB=10: stays in the message when it goes on. */
  public static final int FORWARD = 2;

  public UnknownObject {
    if (ObjectCodec.known(type) || type > 0xfff || type < 0 || extensibility >> 2 != 0) {
      throw new IllegalArgumentException("unknown object of type " + type);
    }
  }

  void encode(WireWriter out) {
    out.put(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnknownObject that
        && extensibility == that.extensibility
        && type == that.type
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * type + Arrays.hashCode(value);
  }
}
