// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * 16 bytes, chosen at random by the signaling application (appendix A.3.2). Equality is that of the
 * bytes.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record SessionId(byte[] bytes) implements GistObject {
  public static final int TYPE = 1;

  @Override
  public int type() {
    return TYPE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SessionId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
