// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;

/**
 * The path-coupled MRM (appendix A.3.1.1).
 *
 * @param sourcePrefix length, 0 to 32 or 128
 * @param destinationPrefix length, as above
 * @param protocol IP protocol; -1 = P-flag off
 * @param dsField DS field, 0 to 63; -1 = T-flag off
 * @param flowLabel IPv6 flow label; -1 = F-flag off
 * @param spi IPsec SPI as an unsigned 32-bit number; -1 = S-flag off
 * @param sourcePort -1 = A-flag off; 0 = significant, not known yet
 * @param destinationPort -1 = B-flag off; 0 = significant, not known yet
 * @param upstream D-flag
 */
public record PathCoupledMri(
    InetAddress source,
    int sourcePrefix,
    InetAddress destination,
    int destinationPrefix,
    int protocol,
    int dsField,
    int flowLabel,
    long spi,
    int sourcePort,
    int destinationPort,
    boolean upstream)
    implements Mri {
  public static final int METHOD = 0;

  /** All packets from one host to another, downstream. */
  public static PathCoupledMri between(InetAddress source, InetAddress destination) {
    int bits = source.getAddress().length * 8;
    return new PathCoupledMri(source, bits, destination, bits, -1, -1, -1, -1, -1, -1, false);
  }

  @Override
  public int method() {
    return METHOD;
  }

  @Override
  public PathCoupledMri flipped() {
    return new PathCoupledMri(
        source,
        sourcePrefix,
        destination,
        destinationPrefix,
        protocol,
        dsField,
        flowLabel,
        spi,
        sourcePort,
        destinationPort,
        !upstream);
  }

  @Override
  public int ipVersion() {
    return destination.getAddress().length == 4 ? 4 : 6;
  }
}
