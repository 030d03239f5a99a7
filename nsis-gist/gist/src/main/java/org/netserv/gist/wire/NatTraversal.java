// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * NAT-Traversal (appendix A.3.9): read and written, never acted on.
 *
 * <pre>
 *   +---------------+---------------+---------------+---------------+
 *   |   MRI words   |     types     |     NATs      |   reserved    |
 *   +---------------+---------------+---------------+---------------+
 *   //    original MRI; types, 16 bits each, padded to a word      //
 *   +-------------------------------+-------------------------------+
 *   |    length of the data, bytes  |  data of a NAT, padded        //
 *   +-------------------------------+-------------------------------+
 * </pre>
 *
 * @param originalMri value of the MRI object before translation, whole words
 * @param translated headers (16 bits: flags and type) of the objects that were translated
 * @param nats opaque data of each NAT, the innermost first
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record NatTraversal(byte[] originalMri, List<Integer> translated, List<byte[]> nats)
    implements GistObject {
  public static final int TYPE = 7;

  public NatTraversal {
    translated = List.copyOf(translated);
    nats = List.copyOf(nats);
    if (originalMri.length % 4 != 0 || originalMri.length > 4 * 0xff) {
      throw new IllegalArgumentException("original MRI of " + originalMri.length + " bytes");
    }
    if (translated.size() > 0xff || nats.size() > 0xff) {
      throw new IllegalArgumentException("more than 255 types or NATs");
    }
  }

  static NatTraversal decode(ObjectReader in) throws GistFormatException {
    int mriWords = in.u8();
    int typeCount = in.u8();
    int natCount = in.u8();
    in.skipPadding();
    byte[] mri = in.take(4 * mriWords);
    List<Integer> types = new ArrayList<>();
    for (int i = 0; i < typeCount; i++) {
      types.add(in.u16());
    }
    in.skipPadding();
    List<byte[]> nats = new ArrayList<>();
    for (int i = 0; i < natCount; i++) {
      nats.add(in.take(in.u16()));
      in.skipPadding();
    }
    return new NatTraversal(mri, types, nats);
  }

  void encode(WireWriter out) {
    out.put8(originalMri.length / 4).put8(translated.size()).put8(nats.size()).pad();
    out.put(originalMri);
    translated.forEach(out::put16);
    out.pad();
    for (byte[] nat : nats) {
      out.put16(nat.length).put(nat).pad();
    }
  }

  @Override
  public int type() {
    return TYPE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NatTraversal that
        && Arrays.equals(originalMri, that.originalMri)
        && translated.equals(that.translated)
        && Arrays.deepEquals(nats.toArray(), that.nats.toArray());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(originalMri);
  }
}
