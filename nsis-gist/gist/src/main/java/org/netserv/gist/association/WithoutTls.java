// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers with which TLS failed, because one side's list of authorised peers does not have the
 * other. Each is remembered for a minute, so that not every session tries TLS first; then the list
 * may be another one.
 */
final class WithoutTls {
  private static final Logger LOG = LoggerFactory.getLogger(WithoutTls.class);
  private static final long REMEMBERED = 60_000;
  private static final int PEERS_MAX = 1024;

  private final Timers timers;

  /** When each is forgotten; the oldest first. */
  private final Map<PeerKey, Long> until =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PeerKey, Long> eldest) {
          return size() > PEERS_MAX;
        }
      };

  WithoutTls(Timers timers) {
    this.timers = timers;
  }

  void add(NetworkLayerInfo peer) {
    if (!contains(peer)) {
      LOG.info("TLS with {} is refused: TCP for what does not ask for TLS", peer.address());
      until.put(PeerKey.of(peer), timers.now() + REMEMBERED);
    }
  }

  boolean contains(NetworkLayerInfo peer) {
    Long end = until.get(PeerKey.of(peer));
    if (end != null && timers.now() >= end) {
      until.remove(PeerKey.of(peer));
      return false;
    }
    return end != null;
  }
}
