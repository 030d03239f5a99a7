// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * Network-Layer-Information (appendix A.3.3).
 *
 * <pre>
 *   +---------------+---------------+-------+-----------------------+
 *   |identity length|    IP TTL     |IP ver.|       reserved        |
 *   +---------------+---------------+-------+-----------------------+
 *   |              routing state validity time, ms                  |
 *   +---------------------------------------------------------------+
 *   //          peer identity, padded; interface address           //
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * @param ipTtl downstream: the TTL put into the IP header, 0 = unknown; upstream: the stored hop
 *     count or 0
 * @param validityMillis RS-validity-time, 1 to 2^32-1
 * @param peerIdentity 0 to 255 bytes that name the sending node for as long as it lives
 * @param address interface address, of the MRI's IP version
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record NetworkLayerInfo(
    int ipTtl, long validityMillis, byte[] peerIdentity, InetAddress address)
    implements GistObject {
  public static final int TYPE = 2;

  public NetworkLayerInfo {
    if (ipTtl < 0 || ipTtl > 0xff || peerIdentity.length > 0xff) {
      throw new IllegalArgumentException("TTL " + ipTtl + " or identity out of range");
    }
    if (validityMillis < 1 || validityMillis > 0xffffffffL) {
      throw new IllegalArgumentException("validity " + validityMillis);
    }
  }

  static NetworkLayerInfo decode(ObjectReader in) throws GistFormatException {
    int identity = in.u8();
    int ipTtl = in.u8();
    int versionAt = in.offset();
    int version = in.u16() >> 12;
    if (!IpAddresses.knownVersion(version)) {
      throw in.bad(GistError.VALUE_NOT_SUPPORTED, versionAt, "NLI of IP version " + version);
    }
    int validityAt = in.offset();
    long validity = in.u32();
    if (validity == 0) {
      throw in.bad(GistError.VALUE_NOT_SUPPORTED, validityAt, "validity time of zero");
    }
    byte[] peerIdentity = in.take(identity);
    in.skipPadding();
    return new NetworkLayerInfo(ipTtl, validity, peerIdentity, in.address(version));
  }

  void encode(WireWriter out) {
    out.put8(peerIdentity.length).put8(ipTtl).put16(IpAddresses.version(address) << 12);
    out.put32(validityMillis).put(peerIdentity).pad().put(address.getAddress());
  }

  @Override
  public int type() {
    return TYPE;
  }

  /** Returns whether both are of the same node and interface. */
  public boolean samePeer(NetworkLayerInfo other) {
    return Arrays.equals(peerIdentity, other.peerIdentity) && address.equals(other.address);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NetworkLayerInfo that
        && ipTtl == that.ipTtl
        && validityMillis == that.validityMillis
        && samePeer(that);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(peerIdentity) + address.hashCode();
  }
}
