// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.Locale;
import org.netserv.nslp.PathEnd;

/** Which end of a path it is when GIST says LAST_NODE: its detail begins with one of these. */
final class LastNode {
  static final String PORT_UNREACHABLE = "port unreachable";
  static final String ENDPOINT_FOUND = "endpoint found";

  private LastNode() {}

  static PathEnd end(String detail) {
    String text = String.valueOf(detail).toLowerCase(Locale.ROOT);
    if (text.startsWith(PORT_UNREACHABLE)) {
      return PathEnd.PORT_UNREACHABLE;
    }
    return text.startsWith(ENDPOINT_FOUND) ? PathEnd.ENDPOINT_FOUND : PathEnd.ENDPOINT;
  }
}
