// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;
import java.util.List;

/**
 * NAT-Traversal (appendix A.3.9): read and written, never acted on.
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
