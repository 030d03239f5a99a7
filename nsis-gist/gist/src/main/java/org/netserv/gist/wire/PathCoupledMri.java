// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;

/**
 * The path-coupled MRM (appendix A.3.1.1), after the head that {@code MriCodec} draws:
 *
 * <pre>
 *   +-------------------------------+-------+-+-+-+-+-+-+-+---------+
 *   |                               |IP ver.|P|T|F|S|A|B|D|reserved |
 *   +-------------------------------+-------+-+-+-+-+-+-+-+---------+
 *   //            source address, destination address              //
 *   +---------------+---------------+---------------+-----------+---+
 *   | source prefix | dest. prefix  |   protocol    | DS field  | r |
 *   +---------------+-------+-------+---------------+-----------+---+
 *   :       reserved        |              flow label               :  F=1, IPv6 only
 *   +-----------------------+---------------------------------------+
 *   :                              SPI                              :  S=1, needs P
 *   +-------------------------------+-------------------------------+
 *   :          source port          :       destination port        :  A=1 or B=1, need P
 *   +-------------------------------+-------------------------------+
 * </pre>
 *
 * A field with its flag off is zero on the wire and ignored when read.
 *
 * @param destination of the same IP version as the source
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

  private static final int P = 0x0800;
  private static final int T = 0x0400;
  private static final int F = 0x0200;
  private static final int S = 0x0100;
  private static final int A = 0x0080;
  private static final int B = 0x0040;
  private static final int D = 0x0020;
  private static final int NEEDS_PROTOCOL = S | A | B;

  /** Offset of the flags, from the header of the object. */
  private static final int FLAGS = 6;

  /** Refuses values that cannot be encoded. */
  public PathCoupledMri {
    IpAddresses.requireSameVersion(source, destination);
    int bits = source.getAddress().length * 8;
    requireRange("source prefix", sourcePrefix, 0, bits);
    requireRange("destination prefix", destinationPrefix, 0, bits);
    requireRange("protocol", protocol, -1, 0xff);
    requireRange("DS field", dsField, -1, 0x3f);
    requireRange("flow label", flowLabel, -1, bits == 128 ? 0xfffff : -1);
    requireRange("SPI", spi, -1, protocol < 0 ? -1 : 0xffffffffL);
    requireRange("source port", sourcePort, -1, protocol < 0 ? -1 : 0xffff);
    requireRange("destination port", destinationPort, -1, protocol < 0 ? -1 : 0xffff);
  }

  private static void requireRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " " + value);
    }
  }

  /** Returns the MRI of all packets from one host to another, downstream. */
  public static PathCoupledMri between(InetAddress source, InetAddress destination) {
    int bits = source.getAddress().length * 8;
    return new PathCoupledMri(source, bits, destination, bits, -1, -1, -1, -1, -1, -1, false);
  }

  static PathCoupledMri decode(ObjectReader in, int version, int flags) throws GistFormatException {
    if ((flags & P) == 0 && (flags & NEEDS_PROTOCOL) != 0) {
      throw in.bad(GistError.INVALID_FLAG_FIELD_COMBINATION, FLAGS, "S, A or B without P");
    }
    if ((flags & F) != 0 && version != 6) {
      throw in.bad(GistError.INVALID_FLAG_FIELD_COMBINATION, FLAGS, "F in IPv4");
    }
    InetAddress source = in.address(version);
    InetAddress destination = in.address(version);
    int sourcePrefix = prefix(in, version);
    int destinationPrefix = prefix(in, version);
    int protocol = in.u8();
    int dsField = in.u8() >> 2;
    int flowLabel = (flags & F) == 0 ? -1 : (int) in.u32() & 0xfffff;
    long spi = (flags & S) == 0 ? -1 : in.u32();
    int sourcePort = -1;
    int destinationPort = -1;
    if ((flags & (A | B)) != 0) {
      sourcePort = when(flags & A, in.u16());
      destinationPort = when(flags & B, in.u16());
    }
    return new PathCoupledMri(
        source,
        sourcePrefix,
        destination,
        destinationPrefix,
        when(flags & P, protocol),
        when(flags & T, dsField),
        flowLabel,
        spi,
        sourcePort,
        destinationPort,
        (flags & D) != 0);
  }

  private static int prefix(ObjectReader in, int version) throws GistFormatException {
    int at = in.offset();
    int prefix = in.u8();
    if (prefix > 8 * IpAddresses.bytes(version)) {
      throw in.bad(GistError.INVALID_FLAG_FIELD_COMBINATION, at, "prefix of " + prefix + " bits");
    }
    return prefix;
  }

  private static int when(int flag, int value) {
    return flag == 0 ? -1 : value;
  }

  void encode(WireWriter out) {
    MriCodec.encodeHead(out, METHOD, flags(), source, destination);
    out.put8(sourcePrefix).put8(destinationPrefix);
    out.put8(Math.max(protocol, 0)).put8(Math.max(dsField, 0) << 2);
    if (flowLabel >= 0) {
      out.put32(flowLabel);
    }
    if (spi >= 0) {
      out.put32(spi);
    }
    if (sourcePort >= 0 || destinationPort >= 0) {
      out.put16(Math.max(sourcePort, 0)).put16(Math.max(destinationPort, 0));
    }
  }

  private int flags() {
    return (protocol >= 0 ? P : 0)
        | (dsField >= 0 ? T : 0)
        | (flowLabel >= 0 ? F : 0)
        | (spi >= 0 ? S : 0)
        | (sourcePort >= 0 ? A : 0)
        | (destinationPort >= 0 ? B : 0)
        | (upstream ? D : 0);
  }

  @Override
  public byte[] value() {
    return MriCodec.value(this);
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
    return IpAddresses.version(destination);
  }
}
