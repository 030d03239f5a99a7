// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;

/** Decides whether a flow is too general to have one path (RFC 5971 section 4.3.4). */
final class Wildness {
  private static final int IPV6_FACTOR = 4;

  private Wildness() {}

  /**
   * Returns whether a flow is too general. {@code least} is the shortest destination prefix of an
   * IPv4 flow; of IPv6, four times that.
   */
  static boolean tooWild(Mri mri, int least) {
    return mri instanceof PathCoupledMri flow
        && flow.destinationPrefix() < (flow.ipVersion() == 6 ? IPV6_FACTOR * least : least);
  }
}
