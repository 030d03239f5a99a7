// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** Finds the empty line behind a head. */
public final class HeadEnd {
  private HeadEnd() {}

  /**
   * Finds the end of a head in a growing buffer, so that a head is read once when it is whole.
   *
   * @param from the index from which nothing was searched yet; three bytes less than the last stop
   * @return the index behind the first empty line, also one of bare LFs, or -1
   */
  public static int find(byte[] bytes, int from, int stop) {
    for (int i = Math.max(0, from) + 1; i < stop; i++) {
      if (bytes[i] == '\n'
          && (bytes[i - 1] == '\n' || (i >= 2 && bytes[i - 1] == '\r' && bytes[i - 2] == '\n'))) {
        return i + 1;
      }
    }
    return -1;
  }
}
