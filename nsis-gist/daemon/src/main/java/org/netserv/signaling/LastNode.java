// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import org.netserv.gist.NetworkNotification;
import org.netserv.ncm.PathEnd;

/** Maps the detail of GIST's LAST_NODE to the end of the path. */
final class LastNode {
  private LastNode() {}

  static PathEnd end(String detail) {
    return switch (detail) {
      case NetworkNotification.PORT_UNREACHABLE -> PathEnd.PORT_UNREACHABLE;
      case NetworkNotification.ENDPOINT_FOUND -> PathEnd.ENDPOINT_FOUND;
      case NetworkNotification.NO_RESPONSE -> PathEnd.NO_ANSWER;
      default -> PathEnd.ENDPOINT;
    };
  }
}
