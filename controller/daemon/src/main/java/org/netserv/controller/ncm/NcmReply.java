// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.controller.log.LogRecord.Answer;

/**
 * What goes back.
 *
 * @param data of a PROBE's answer, null for others
 */
public record NcmReply(Answer answer, ObjectNode data) {
  static NcmReply of(Answer answer) {
    return new NcmReply(answer, null);
  }
}
