// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import org.netserv.ncm.PathEnd;
import org.netserv.nslp.NslpMessage;

/**
 * The result of a request.
 *
 * @param response null if no response came; {@code end} and {@code reason} then say why
 */
record Reply(PathEnd end, String reason, NslpMessage.Response response) {
  static Reply none(PathEnd end, String reason) {
    return new Reply(end, reason, null);
  }

  static Reply of(NslpMessage.Response response) {
    return new Reply(response.end(), response.reason(), response);
  }
}
