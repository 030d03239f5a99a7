// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * Network-Layer-Information (appendix A.3.3).
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

  @Override
  public int type() {
    return TYPE;
  }

  /** Whether both are of the same node and interface. */
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
