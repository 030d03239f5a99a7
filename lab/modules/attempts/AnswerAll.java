// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import org.netserv.packet.Decision;
import org.netserv.packet.Packet;

/** Answers every STUN and SIP request that it sees as if it were the server. */
public final class AnswerAll extends Attempt {
  private static final int STUN_SUCCESS = 0x0101;

  @Override
  protected String attempt(String unused) {
    return "ready";
  }

  @Override
  protected Decision other(Packet packet, Decision decision) {
    packet.swapEndpoints();
    if (packet.getShort(packet.payloadOffset()) == 1) {
      packet.setShort(packet.payloadOffset(), (short) STUN_SUCCESS);
    } else {
      byte[] ok = {'S', 'I', 'P', '/', '2', '.', '0', ' ', '2', '0', '0', ' ', 'O', 'K'};
      packet.setPayload(ok, 0, ok.length);
    }
    return decision.changed("answered");
  }
}
