// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.values.AllocatedBytes;

class AllocationTest {
  private static final int ROUNDS = 20_000;

  private static final String TEXT = Rig.request("INVITE", "12345678", "");

  private static Packet packet(String text, boolean request) {
    byte[] bytes = Rig.bytes(text);
    return request
        ? Packets.udp4(Rig.CLIENT, 5060, Rig.SERVER, 5060, bytes)
        : Packets.udp4(Rig.SERVER, 5060, Rig.CLIENT, 5060, bytes);
  }

  @Test
  void requestsAndResponsesAllocateNothing() {
    Rig rig = new Rig("max-transactions", "1024");
    rig.feedback(FeedbackKind.RATE, 1000, 60_000);
    Packet request = packet(TEXT, true);
    Packet response = packet(Rig.response(180, TEXT), false);
    int branch = request.payloadOffset() + TEXT.replace("\n", "\r\n").indexOf("12345678");
    Decision first = Packets.decision(request);
    Decision second = Packets.decision(response);
    Runnable work =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            request.setLong(branch, 0x3030303030303030L | (i & 0x0707070707070707L));
            rig.edge.process(request, first);
            rig.edge.process(response, second);
            rig.sleep(0.0001);
          }
        };
    work.run();
    assertEquals(0, AllocatedBytes.least(work));
  }

  @Test
  void rejectionsAllocateNothing() {
    Rig rig = new Rig("max-transactions", "1024", "fair", "off");
    rig.feedback(FeedbackKind.LOSS, 100, 60_000);
    Packet request = packet(TEXT, true);
    byte[] payload = bytes(request);
    Decision decision = Packets.decision(request);
    Runnable work =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            rig.edge.process(request, decision);
            request.swapEndpoints();
            request.setPayload(payload, 0, payload.length);
            rig.sleep(0.0001);
          }
        };
    work.run();
    assertEquals(0, AllocatedBytes.least(work));
  }

  private static byte[] bytes(Packet packet) {
    byte[] payload = new byte[packet.payloadLength()];
    packet.get(packet.payloadOffset(), payload, 0, payload.length);
    return payload;
  }
}
