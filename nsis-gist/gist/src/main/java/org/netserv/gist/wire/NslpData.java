// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * Opaque to GIST (appendix A.3.10). Bytes that are not whole words are padded with zeros here; the
 * reader sees the padding, so the application's own format has to tell where it begins. Equality is
 * that of the bytes.
 *
 * @param bytes 0 to 16,380
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record NslpData(byte[] bytes) implements GistObject {
  public static final int TYPE = 8;
  public static final int MAX_BYTES = 4 * ObjectCodec.MAX_WORDS;

  public NslpData {
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("payload of " + bytes.length + " bytes");
    }
    if (bytes.length % 4 != 0) {
      bytes = Arrays.copyOf(bytes, NetworkOrder.padded(bytes.length));
    }
  }

  static NslpData decode(ObjectReader in) {
    return new NslpData(in.takeRest());
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
    return other instanceof NslpData that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
