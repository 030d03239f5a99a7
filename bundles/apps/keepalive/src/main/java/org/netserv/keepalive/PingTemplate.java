// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.List;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Packet;

/** Makes the kernel's template of a ping, which has no reply: the kernel swallows it. */
final class PingTemplate {
  private static final byte[] NO_REPLY = {};

  private PingTemplate() {}

  static AnswerTemplate of(Packet packet, int start) {
    byte[] message = new byte[packet.payloadLength()];
    packet.buffer().get(start, message);
    return new AnswerTemplate(
        AnswerTemplate.Pair.of(packet), message, NO_REPLY, List.of(), AnswerTemplate.NO_TAG);
  }
}
