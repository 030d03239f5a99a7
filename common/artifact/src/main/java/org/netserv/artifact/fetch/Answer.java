// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import java.util.Optional;

/**
 * A server's answer.
 *
 * @param location of a redirect
 * @param body empty but for a status of 200
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
record Answer(int status, Optional<String> location, byte[] body) {

  boolean redirect() {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }
}
