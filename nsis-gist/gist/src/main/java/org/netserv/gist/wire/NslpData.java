// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * Opaque to GIST; padded with zeros to whole words, the padding is the signaling application's
 * (appendix A.3.10). Equality is that of the bytes.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record NslpData(byte[] bytes) implements GistObject {
  public static final int TYPE = 8;

  @Override
  public int type() {
    return TYPE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NslpData that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
