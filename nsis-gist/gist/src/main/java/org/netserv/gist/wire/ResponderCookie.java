// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/** Opaque, whole words, at least one (appendix A.3.7). Equality is that of the bytes. */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record ResponderCookie(byte[] bytes) implements GistObject {
  public static final int TYPE = 6;

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
