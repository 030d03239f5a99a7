// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.List;

/**
 * The common part of all MRIs (RFC 5971 appendix A.3.1): the method. Both known methods also have
 * the IP version in the same place.
 *
 * <pre>
 *   +---------------+-+-------------+-------+-----------------------+
 *   |    method     |N|  reserved   |IP ver.|  flags of the method  |
 *   +---------------+-+-------------+-------+-----------------------+
 * </pre>
 */
final class MriCodec {
  private static final int NO_TRANSLATION = 0x80;

  private MriCodec() {}

  static Mri decode(ObjectReader in) throws GistFormatException {
    if (in.remaining() == 0) {
      throw in.bad(GistError.INCORRECT_LENGTH, in.offset(), "MRI without a method");
    }
    int first = in.offset();
    int method = in.u8();
    if (method != PathCoupledMri.METHOD && method != LooseEndMri.METHOD) {
      in.rewind();
      return new UnknownMri(method, in.takeRest());
    }
    if ((in.u8() & NO_TRANSLATION) != 0) {
      throw in.bad(GistError.INVALID_FLAG_FIELD_COMBINATION, first + 1, "N-flag of a known method");
    }
    int flags = in.u16();
    int version = flags >> 12;
    if (!IpAddresses.knownVersion(version)) {
      throw in.bad(GistError.VALUE_NOT_SUPPORTED, first + 2, "MRI of IP version " + version);
    }
    return method == PathCoupledMri.METHOD
        ? PathCoupledMri.decode(in, version, flags)
        : LooseEndMri.decode(in, version, flags);
  }

  static void encode(Mri mri, WireWriter out) {
    if (mri instanceof PathCoupledMri pathCoupled) {
      pathCoupled.encode(out);
    } else if (mri instanceof LooseEndMri looseEnd) {
      looseEnd.encode(out);
    } else {
      out.put(mri.value());
    }
  }

  /** Writes the method, the IP version with the flags below it, and both addresses. */
  static void encodeHead(
      WireWriter out, int method, int flags, InetAddress source, InetAddress destination) {
    out.put8(method).put8(0).put16(IpAddresses.version(source) << 12 | flags);
    out.put(source.getAddress()).put(destination.getAddress());
  }

  static byte[] value(Mri mri) {
    WireWriter out = new WireWriter(48);
    encode(mri, out);
    return out.toBytes();
  }

  static Mri decodeValue(byte[] value) throws GistFormatException {
    if (value.length % 4 != 0 || value.length > 4 * ObjectCodec.MAX_WORDS) {
      throw new GistFormatException(
          GistError.INCORRECT_LENGTH, List.of(), "MRI of " + value.length + " bytes");
    }
    byte[] object =
        new WireWriter(4 + value.length).put16(0).put16(value.length / 4).put(value).toBytes();
    ObjectReader in = new ObjectReader(object);
    in.open(0, object.length);
    Mri mri = decode(in);
    in.done();
    return mri;
  }
}
