// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.wire.NetworkLayerInfo;

/** The peers of routing state, each stored once however many sessions there are with it. */
final class Peers {
  /** A peer by one of our interfaces. */
  static final class Peer {
    private final SiiHandle handle;
    private final NetworkLayerInfo info;
    private int users;

    private Peer(SiiHandle handle, NetworkLayerInfo info) {
      this.handle = handle;
      this.info = info;
    }

    SiiHandle handle() {
      return handle;
    }

    /** Returns the NLI as the peer sent it at first. Its validity and TTL have no meaning here. */
    NetworkLayerInfo info() {
      return info;
    }

    InetAddress address() {
      return info.address();
    }
  }

  private final Map<SiiHandle, Peer> peers = new HashMap<>();

  /** Takes the peer into use. */
  Peer acquire(NetworkLayerInfo info, int interfaceIndex) {
    SiiHandle handle = SiiHandle.of(info.peerIdentity(), info.address(), interfaceIndex);
    Peer peer = peers.computeIfAbsent(handle, h -> new Peer(h, info));
    peer.users++;
    return peer;
  }

  /** Ends a use. */
  void release(Peer peer) {
    if (--peer.users == 0) {
      peers.remove(peer.handle);
    }
  }

  int size() {
    return peers.size();
  }
}
