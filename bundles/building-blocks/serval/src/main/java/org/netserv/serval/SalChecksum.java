// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/**
 * The Internet checksum (RFC 1071) of a SAL header, and of the transport's bytes behind it. The
 * header's covers base header and extensions, without a pseudo-header and without the payload.
 */
public final class SalChecksum {
  private SalChecksum() {}

  /** Returns the checksum of {@code [first, stop)}. Over bytes with their checksum it is 0. */
  public static int of(ByteBuffer bytes, int first, int stop) {
    return fold(add(0, bytes, first, stop));
  }

  /**
   * Returns the checksum of a transport's bytes with the usual pseudo-header of IPv4, as SAL in raw
   * IP has it. A router that changes an address has to mend it.
   */
  public static int ofTransport(
      ByteBuffer bytes, int first, int stop, int protocol, int sourceIpv4, int destinationIpv4) {
    long sum = words(sourceIpv4) + words(destinationIpv4) + protocol + (stop - first);
    return fold(add(sum, bytes, first, stop));
  }

  /**
   * Returns the checksum of a transport's bytes with the two flowIDs in the place of the addresses,
   * as SAL in UDP has it. It survives a NAT, a move and a service router.
   */
  public static int ofFlow(
      ByteBuffer bytes, int first, int stop, int protocol, int sourceFlow, int destinationFlow) {
    return ofTransport(bytes, first, stop, protocol, sourceFlow, destinationFlow);
  }

  private static long words(int value) {
    return (value >>> 16) + (value & 0xffffL);
  }

  /** Adds words of 32 bits as long as there are two, because 2^16 counts as 1 in this sum. */
  private static long add(long start, ByteBuffer bytes, int first, int stop) {
    long sum = start;
    int at = first;
    for (; at + 7 < stop; at += 8) {
      long words = bytes.getLong(at);
      sum += (words >>> 32) + (words & 0xffffffffL);
    }
    for (; at + 1 < stop; at += 2) {
      sum += bytes.getShort(at) & 0xffff;
    }
    return at < stop ? sum + ((bytes.get(at) & 0xff) << 8) : sum;
  }

  private static int fold(long sum) {
    long folded = sum;
    while (folded >>> 16 != 0) {
      folded = (folded & 0xffff) + (folded >>> 16);
    }
    return (int) ~folded & 0xffff;
  }
}
