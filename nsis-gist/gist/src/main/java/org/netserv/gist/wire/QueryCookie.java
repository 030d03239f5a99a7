// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/** Opaque, whole words, at least one (appendix A.3.6). Equality is that of the bytes. */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record QueryCookie(byte[] bytes) implements GistObject {
  public static final int TYPE = 5;

  public QueryCookie {
    if (bytes.length == 0 || bytes.length % 4 != 0) {
      throw new IllegalArgumentException("cookie of " + bytes.length + " bytes");
    }
  }

  static QueryCookie decode(ObjectReader in) throws GistFormatException {
    if (in.remaining() == 0) {
      throw in.bad(GistError.INCORRECT_LENGTH, in.offset(), "empty cookie");
    }
    return new QueryCookie(in.takeRest());
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
    return other instanceof QueryCookie that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
