// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.report;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * One count: packets and bytes since the module started.
 *
 * @param family 4 or 6
 * @param ttl TTL or hop limit, 0-255
 * @param sourceHigh upper half of the source; IPv4 as ::ffff:a.b.c.d, here and below
 */
public record MonitorRow(
    int family,
    int ttl,
    long sourceHigh,
    long sourceLow,
    long destinationHigh,
    long destinationLow,
    long packets,
    long bytes) {
  private static final long MAPPED = 0xffffL << 32;

  /** Bytes of a row of this family on the wire. */
  static int size(int family) {
    return family == 4 ? 26 : 50;
  }

  void encode(ByteBuffer out) {
    out.put((byte) family).put((byte) ttl);
    if (family == 4) {
      out.putInt((int) sourceLow).putInt((int) destinationLow);
    } else {
      out.putLong(sourceHigh).putLong(sourceLow).putLong(destinationHigh).putLong(destinationLow);
    }
    out.putLong(packets).putLong(bytes);
  }

  static MonitorRow decode(ByteBuffer in) throws ReportException {
    ReportException.require(in.remaining() >= 1, "row", "ends before its family");
    int family = in.get();
    ReportException.require(family == 4 || family == 6, "family", "is " + family);
    ReportException.require(in.remaining() >= size(family) - 1, "row", "ends beyond the datagram");
    int ttl = in.get() & 0xff;
    long sourceHigh = family == 4 ? 0 : in.getLong();
    long sourceLow = family == 4 ? MAPPED | (in.getInt() & 0xffffffffL) : in.getLong();
    long destinationHigh = family == 4 ? 0 : in.getLong();
    long destinationLow = family == 4 ? MAPPED | (in.getInt() & 0xffffffffL) : in.getLong();
    return new MonitorRow(
        family,
        ttl,
        sourceHigh,
        sourceLow,
        destinationHigh,
        destinationLow,
        in.getLong(),
        in.getLong());
  }

  public InetAddress source() {
    return address(sourceHigh, sourceLow);
  }

  public InetAddress destination() {
    return address(destinationHigh, destinationLow);
  }

  private InetAddress address(long high, long low) {
    byte[] bytes =
        family == 4
            ? ByteBuffer.allocate(4).putInt((int) low).array()
            : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 and 16 bytes are an address", e);
    }
  }
}
