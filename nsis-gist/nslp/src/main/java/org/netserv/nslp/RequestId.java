// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Names a request on its whole path, but not its publisher: 16 random bytes. Equality is that of
 * the bytes.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record RequestId(byte[] bytes) {
  public static final int BYTES = 16;

  public RequestId {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a request id of " + bytes.length + " bytes");
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RequestId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
