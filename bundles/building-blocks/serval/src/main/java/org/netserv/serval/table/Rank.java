// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.Comparator;

/**
 * The place of a rule among those of its prefix. Only rules of the highest rank count. The next
 * rank takes over when the highest is empty.
 *
 * @param preference between origins, higher first: as a router prefers one routing protocol
 * @param priority between target sets of one preference, higher first
 */
public record Rank(int preference, int priority) implements Comparable<Rank> {
  public static final Rank ZERO = new Rank(0, 0);

  private static final Comparator<Rank> ORDER =
      Comparator.comparingInt(Rank::preference).thenComparingInt(Rank::priority).reversed();

  /** Orders the highest rank first. */
  @Override
  public int compareTo(Rank other) {
    return ORDER.compare(this, other);
  }
}
