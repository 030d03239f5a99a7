// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.controller.log.LogRecord.Answer;

/**
 * The answer to a message.
 *
 * @param data of the answer to a PROBE, null for others
 */
public record NcmReply(Answer answer, ObjectNode data) {
  static NcmReply of(Answer answer) {
    return new NcmReply(answer, null);
  }
}
