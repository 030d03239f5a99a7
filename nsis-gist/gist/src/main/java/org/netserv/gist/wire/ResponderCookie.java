// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/** Opaque, whole words, at least one (appendix A.3.7). Equality is that of the bytes. */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record ResponderCookie(byte[] bytes) implements GistObject {
  public static final int TYPE = 6;

  public ResponderCookie {
    if (bytes.length == 0 || bytes.length % 4 != 0) {
      throw new IllegalArgumentException("cookie of " + bytes.length + " bytes");
    }
  }

  static ResponderCookie decode(ObjectReader in) throws GistFormatException {
    if (in.remaining() == 0) {
      throw in.bad(GistError.INCORRECT_LENGTH, in.offset(), "empty cookie");
    }
    return new ResponderCookie(in.takeRest());
  }

  void encode(WireWriter out) {
    out.put(bytes);
  }

  @Override
  public int type() {
    return TYPE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResponderCookie that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
