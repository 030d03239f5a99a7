// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.util.Set;

/**
 * UNKNOWN-ATTRIBUTES (RFC 8489, 14.13): the types, 16 bits each, that a request needs understood
 * and the server does not know. Holds as many as a 420 has to name, at most 32.
 */
public final class UnknownAttributes {
  private static final int MOST = 32;

  private final int[] codes = new int[MOST];
  private int count;

  /**
   * Collects the required attributes of a request that are not among the known ones.
   *
   * @return how many there are, at most 32
   */
  public int collect(StunMessage request, Set<StunAttribute> known) {
    count = 0;
    for (int at = request.first(); at < request.stop(); at = request.after(at)) {
      int code = request.code(at);
      StunAttribute type = StunAttribute.of(code);
      boolean strange = StunAttribute.isRequired(code) && (type == null || !known.contains(type));
      if (strange && count < MOST) {
        codes[count++] = code;
      }
    }
    return count;
  }

  /** Reads the list of an answer. Returns its length, at most 32. */
  public int get(StunMessage answer) {
    count = 0;
    int at = answer.find(StunAttribute.UNKNOWN_ATTRIBUTES);
    if (at >= 0) {
      count = Math.min(MOST, answer.length(at) / 2);
      for (int i = 0; i < count; i++) {
        codes[i] = answer.buffer().getShort(answer.valueStart(at) + 2 * i) & 0xffff;
      }
    }
    return count;
  }

  /** The number of the type at a place below the count. */
  public int code(int place) {
    return codes[place];
  }

  /** Adds the list. */
  public void put(StunWriter writer) {
    int at = writer.add(StunAttribute.UNKNOWN_ATTRIBUTES, 2 * count);
    for (int i = 0; at >= 0 && i < count; i++) {
      writer.buffer().putShort(at + 2 * i, (short) codes[i]);
    }
  }
}
