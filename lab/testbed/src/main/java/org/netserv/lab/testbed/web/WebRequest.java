// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

/**
 * A request of a user, as {@code clients/steady.sh} writes it. Times are seconds since 1970.
 *
 * @param begin before the name was looked up
 * @param connected when it had a connection, 0 = never
 * @param code status of HTTP, 0 = no answer
 * @param instance the name in the answer, or empty
 */
public record WebRequest(
    double begin, double connected, double end, int code, long bytes, String instance) {
  private static final int WORDS = 5;

  /** Longer than a connection without a loss takes. TCP sends its first SYN again after 1 s. */
  private static final double RETRANSMITTED = 0.98;

  /** TCP sends it for the third time after 3 s. */
  private static final double TWICE = 2.98;

  /** Reads a line of the log. */
  static WebRequest parse(String line) {
    String[] words = line.strip().split(" ", -1);
    return new WebRequest(
        Double.parseDouble(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Integer.parseInt(words[3]),
        Long.parseLong(words[4]),
        words.length > WORDS ? words[WORDS] : "");
  }

  /** Tells whether the whole file has come. */
  public boolean served() {
    return code == 200 && bytes == PacedWeb.BYTES;
  }

  /** Tells whether its SYN was sent more than once. */
  public boolean delayed() {
    return connected - begin > RETRANSMITTED;
  }

  /** Tells whether its SYN was sent more than twice. */
  public boolean delayedTwice() {
    return connected - begin > TWICE;
  }
}
