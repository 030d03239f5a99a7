// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.association.Association;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.wire.GistMessage;

/** The parts of an input that actions use; null or 0 where the input has no such part. */
record QueryInput(
    Pending pending,
    Arrival arrival,
    GistMessage message,
    Peer peer,
    Association association,
    String reason,
    long until) {
  static final QueryInput NONE = new QueryInput(null, null, null, null, null, null, 0);

  static QueryInput of(Pending pending) {
    return new QueryInput(pending, null, null, null, null, null, 0);
  }

  static QueryInput of(Arrival arrival, GistMessage message, Peer peer) {
    return new QueryInput(null, arrival, message, peer, null, null, 0);
  }

  static QueryInput of(Association association, String reason) {
    return new QueryInput(null, null, null, null, association, reason, 0);
  }

  static QueryInput of(String reason) {
    return of((Association) null, reason);
  }

  static QueryInput until(long time) {
    return new QueryInput(null, null, null, null, null, null, time);
  }
}
