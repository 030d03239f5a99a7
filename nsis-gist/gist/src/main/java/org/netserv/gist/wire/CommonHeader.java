// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Optional;

/**
 * The common header without its length, which the encoder computes (RFC 5971 appendix A.1).
 *
 * @param hops GIST hop count, 0 to 255; 0 is never sent
 * @param nslpId 0 to 65535; 0 on Error and MA-Hello
 * @param explicit C-flag: to be intercepted (Query, and Data in Q-mode)
 * @param sourceAddress S-flag: the IP source is the signaling source
 * @param reply R-flag: a reply is requested
 * @param routed E-flag: explicitly routed, on Data only
 */
public record CommonHeader(
    int hops,
    int nslpId,
    MessageType type,
    boolean explicit,
    boolean sourceAddress,
    boolean reply,
    boolean routed) {
  /** Its length in bytes. */
  public static final int BYTES = RawHeader.BYTES;

  public CommonHeader {
    if (hops < 0 || hops > 0xff || nslpId < 0 || nslpId > 0xffff) {
      throw new IllegalArgumentException("hops " + hops + ", NSLPID " + nslpId);
    }
  }

  /**
   * Returns the header of a message, without a look at the rest of the message. Returns empty when
   * there are fewer than 8 bytes.
   */
  public static Optional<RawHeader> peek(byte[] message) {
    return RawHeader.read(message, 0);
  }
}
