// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import org.netserv.lab.testbed.NodeClient.Answer;

/**
 * An attempt that a node has to refuse.
 *
 * @param status that the answer must have
 * @param header that it must name; empty = none
 * @param words that its reason must contain
 */
record RefusedAttempt(String name, int status, String header, String words, Deed deed) {
  /** Makes the attempt and returns the node's answer. */
  interface Deed {
    Answer make() throws IOException;
  }

  boolean expects(Answer answer) {
    return answer.status() == status
        && answer.header().equals(header)
        && answer.reason().contains(words);
  }

  String expected() {
    return status + (header.isEmpty() ? "" : " " + header);
  }
}
