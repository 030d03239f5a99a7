// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.netserv.gist.wire.NetworkLayerInfo;

/** The other end of associations: identity and interface address (RFC 5971 section 4.4.3). */
record PeerKey(ByteBuffer identity, InetAddress address) {
  static PeerKey of(NetworkLayerInfo peer) {
    return new PeerKey(ByteBuffer.wrap(peer.peerIdentity()), peer.address());
  }
}
