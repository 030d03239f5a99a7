// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import org.netserv.packet.Packet;
import org.netserv.packet.Verdict;

/** Answers every STUN and SIP request that it sees as if it were the server. */
public final class AnswerAll extends Attempt {
  private static final int STUN_SUCCESS = 0x0101;

  @Override
  protected String attempt(String unused) {
    return "ready";
  }

  @Override
  protected Verdict other(Packet packet) {
    packet.swapEndpoints();
    if (packet.getShort(packet.payloadOffset()) == 1) {
      packet.setShort(packet.payloadOffset(), (short) STUN_SUCCESS);
    } else {
      byte[] ok = {'S', 'I', 'P', '/', '2', '.', '0', ' ', '2', '0', '0', ' ', 'O', 'K'};
      packet.setPayload(ok, 0, ok.length);
    }
    return packet.changed("answered");
  }
}
