// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The options of a SYN or a SYN-ACK.
 *
 * @param mss bytes of payload that the sender takes in a segment, {@link #LEAST_MSS} to 65,535
 * @param scale shift of the sender's windows, 0 to 14, or {@link #NO_SCALE}
 * @param sack the sender reads SACK
 */
public record StreamOffer(int mss, int scale, boolean sack) {
  /** The option is absent. */
  public static final int NO_SCALE = -1;

  /** The MSS of a peer that names none (RFC 9293 section 3.7.1). */
  public static final int DEFAULT_MSS = 536;

  /** A peer that names less gets this, because a segment would be mostly headers. */
  static final int LEAST_MSS = 64;

  static final int MOST_SCALE = 14;

  private static final int[] STEPS = {LEAST_MSS, 536, 1_024, 1_220, 1_360, 1_400, 1_440, 1_448};
  private static final int NO_SCALE_CODE = 15;

  /** Brings the numbers into their ranges. */
  public StreamOffer {
    mss = Math.max(LEAST_MSS, Math.min(0xffff, mss));
    scale = Math.max(NO_SCALE, Math.min(MOST_SCALE, scale));
  }

  /** Returns the offer in eight bits, with an MSS that is not above this one. */
  int code() {
    int step = 0;
    while (step + 1 < STEPS.length && STEPS[step + 1] <= mss) {
      step++;
    }
    int shift = scale == NO_SCALE ? NO_SCALE_CODE : scale;
    return (step << 5) | (shift << 1) | (sack ? 1 : 0);
  }

  /** Returns the offer that eight bits stand for. */
  static StreamOffer of(int code) {
    int shift = (code >>> 1) & 0xf;
    return new StreamOffer(
        STEPS[(code >>> 5) & 7], shift == NO_SCALE_CODE ? NO_SCALE : shift, (code & 1) != 0);
  }
}
