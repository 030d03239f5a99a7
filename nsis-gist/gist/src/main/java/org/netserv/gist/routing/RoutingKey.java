// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.Arrays;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * Key of routing state (RFC 5971 section 4.2.1).
 *
 * <p>Comparable because strangers choose the bytes: keys that were made to fall into one slot of a
 * hash map are then found by search in a tree, not by trying all.
 *
 * @param mri its direction is that in which we send by this state
 */
public record RoutingKey(Mri mri, SessionId session, int nslpId) implements Comparable<RoutingKey> {
  /** Key of the state for the other direction. */
  RoutingKey flipped() {
    return new RoutingKey(mri.flipped(), session, nslpId);
  }

  @Override
  public int compareTo(RoutingKey other) {
    int order = Arrays.compare(session.bytes(), other.session.bytes());
    if (order == 0) {
      order = Integer.compare(nslpId, other.nslpId);
    }
    return order == 0 && !mri.equals(other.mri)
        ? Arrays.compare(mri.value(), other.mri.value())
        : order;
  }
}
