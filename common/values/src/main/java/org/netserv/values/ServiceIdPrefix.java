// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.util.Locale;

/**
 * A prefix of Serval's serviceIDs, which have 256 bits: {@code 00004001/32}, or {@code default} for
 * all of them.
 *
 * @param digits lower-case hexadecimal digits that the bits need, none for all serviceIDs; bits
 *     behind the length are zero
 * @param bits 0 to {@link #MOST}
 */
public record ServiceIdPrefix(String digits, int bits) {
  /** Bits of a serviceID. */
  public static final int MOST = 256;

  private static final String ALL = "default";

  public ServiceIdPrefix {
    if (bits < 0 || bits > MOST || digits.length() != (bits + 3) / 4) {
      throw new IllegalArgumentException("not a prefix of serviceIDs: " + digits + "/" + bits);
    }
  }

  /** Reads {@code DIGITS/BITS}, where digits that are missing are 0, or {@code default}. */
  public static ServiceIdPrefix parse(String text) throws BadValueException {
    if (text.equals(ALL)) {
      return new ServiceIdPrefix("", 0);
    }
    int slash = text.indexOf('/');
    String given = slash < 0 ? "" : text.substring(0, slash).toLowerCase(Locale.ROOT);
    if (given.isEmpty()
        || given.length() > MOST / 4
        || given.chars().anyMatch(c -> Numbers.hexDigit((char) c) < 0)) {
      throw new BadValueException(
          "not of the form 00004001/32, nor default: " + BadValueException.quote(text));
    }
    int bits = Numbers.inRange(text.substring(slash + 1), 1, MOST, "a prefix length");
    int needed = (bits + 3) / 4;
    String whole = given + "0".repeat(MOST / 4 - given.length());
    int last = Numbers.hexDigit(whole.charAt(needed - 1)) & (0xf >> (4 - (needed * 4 - bits)));
    if (last != 0 || whole.substring(needed).chars().anyMatch(c -> c != '0')) {
      throw new BadValueException(
          "bits are set after the prefix length: " + BadValueException.quote(text));
    }
    return new ServiceIdPrefix(whole.substring(0, needed), bits);
  }

  /** Returns the form that {@link #parse} reads back. It is also the spawner's. */
  @Override
  public String toString() {
    return bits == 0 ? ALL : digits + "/" + bits;
  }
}
