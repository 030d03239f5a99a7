// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * 16 bytes, chosen at random by the signaling application (appendix A.3.2). Equality is that of the
 * bytes.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record SessionId(byte[] bytes) implements GistObject {
  public static final int TYPE = 1;
  public static final int BYTES = 16;

  public SessionId {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("session of " + bytes.length + " bytes");
    }
  }

  static SessionId decode(ObjectReader in) throws GistFormatException {
    return new SessionId(in.take(BYTES));
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
    return other instanceof SessionId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
