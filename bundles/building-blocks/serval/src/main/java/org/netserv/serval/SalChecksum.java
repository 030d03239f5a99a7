// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The Internet checksum (RFC 1071) of a SAL header, and of the transport's bytes behind it. The
 * header's covers base header and extensions, without a pseudo-header and without the payload.
 */
public final class SalChecksum {
  private static final boolean SWAPPED = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  private static final VarHandle WORDS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int BLOCK = 32; // bytes of a turn of the loop
  private static final long LOW = 0xffffffffL;

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

  private static long add(long start, ByteBuffer bytes, int first, int stop) {
    int at = first + (stop - first) / BLOCK * BLOCK;
    long sum = start + (stop - first < BLOCK ? 0 : blocks(bytes, first, at));
    for (; at + 7 < stop; at += 8) {
      long words = bytes.getLong(at);
      sum += (words >>> 32) + (words & LOW);
    }
    for (; at + 1 < stop; at += 2) {
      sum += bytes.getShort(at) & 0xffff;
    }
    return at < stop ? sum + ((bytes.get(at) & 0xff) << 8) : sum;
  }

  /**
   * Adds whole blocks as words of 32 bits, because 2^16 counts as 1 in this sum. The words have the
   * byte order of the machine. The sum of words with swapped bytes is the swapped sum (RFC 1071
   * section 2).
   */
  private static long blocks(ByteBuffer bytes, int first, int stop) {
    long low = 0;
    long high = 0;
    for (int at = first; at < stop; at += BLOCK) {
      long one = (long) WORDS.get(bytes, at);
      long two = (long) WORDS.get(bytes, at + 8);
      long three = (long) WORDS.get(bytes, at + 16);
      long four = (long) WORDS.get(bytes, at + 24);
      low += (one & LOW) + (two & LOW) + (three & LOW) + (four & LOW);
      high += (one >>> 32) + (two >>> 32) + (three >>> 32) + (four >>> 32);
    }
    int sum = ~fold(low + high) & 0xffff;
    return SWAPPED ? Integer.reverseBytes(sum) >>> 16 : sum;
  }

  private static int fold(long sum) {
    long folded = sum;
    while (folded >>> 16 != 0) {
      folded = (folded & 0xffff) + (folded >>> 16);
    }
    return (int) ~folded & 0xffff;
  }
}
