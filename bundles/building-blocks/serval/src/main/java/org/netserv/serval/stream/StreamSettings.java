// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The settings of streams.
 *
 * @param mss bytes of payload in a segment, 64 to {@link #MOST_MSS}. With 1,400 a segment fits into
 *     one packet of Ethernet in both families
 * @param sendBuffer bytes that are written and not acknowledged, at most; 4 kB to 1 GB
 * @param receiveBuffer bytes that have come and are not read, at most; 4 kB to 1 GB
 */
public record StreamSettings(int mss, int sendBuffer, int receiveBuffer) {
  /** The longest payload that a UDP datagram of IPv4 has room for. */
  public static final int MOST_MSS = 65_507 - 12 - OutgoingSegment.LONGEST_HEADER;

  public static final StreamSettings DEFAULT = new StreamSettings(1_400, 1 << 20, 1 << 20);

  private static final int LEAST_BUFFER = 1 << 12;
  private static final int MOST_BUFFER = 1 << 30;

  /** Checks the numbers. */
  public StreamSettings {
    require("mss", mss, StreamOffer.LEAST_MSS, MOST_MSS);
    require("send buffer", sendBuffer, LEAST_BUFFER, MOST_BUFFER);
    require("receive buffer", receiveBuffer, LEAST_BUFFER, MOST_BUFFER);
  }

  private static void require(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + ": " + value);
    }
  }

  /** Returns the scale by which the largest window fits into the header. */
  int scale() {
    int scale = 0;
    while (receiveBuffer >> scale > 0xffff) {
      scale++;
    }
    return scale;
  }
}
