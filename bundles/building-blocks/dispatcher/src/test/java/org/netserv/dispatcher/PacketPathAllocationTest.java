// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.host.Ring;
import org.netserv.keepalive.KeepAlive;
import org.netserv.netmonitor.NetMonitor;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.values.AllocatedBytes;

/** The whole Java packet path, as a container runs it: dispatcher, NetMonitor, KeepAlive. */
class PacketPathAllocationTest {
  private static final int PACKETS = 200_000;
  private static final int BATCH = 64;
  private static final PacketFilter SIP =
      PacketFilter.of(4, Packet.UDP, null, "192.0.2.0/24", null, "5060", 0, false);

  private final LoopFixture ring = new LoopFixture();

  @Test
  void packetsAllocateNothing() throws Exception {
    Module monitor = ring.add("monitor", new NetMonitor(Map.of(), null), SIP);
    Module keepalive = ring.add("keepalive", new KeepAlive(Map.of("pass-every", "0")), SIP);
    byte[][] packets = new byte[BATCH][];
    for (int i = 0; i < BATCH; i++) {
      packets[i] = keepAlive(i);
    }
    run(packets, PACKETS);
    assertEquals(0, AllocatedBytes.least(() -> run(packets, PACKETS)));
    assertEquals(Ring.CHANGED, ring.code(0));
    assertEquals(monitor.packets.get(), keepalive.packets.get());
  }

  private void run(byte[][] packets, int count) {
    for (int sent = 0; sent < count; sent += BATCH) {
      for (int i = 0; i < BATCH; i++) {
        ring.place(i, packets[i], 0);
      }
      ring.upcall(BATCH);
    }
  }

  private static byte[] keepAlive(int agent) {
    String text =
        """
        NOTIFY sip:192.0.2.10 SIP/2.0\r
        Via: SIP/2.0/UDP 10.0.0.%1$d:5060;branch=z9hG4bK%1$d;rport\r
        From: <sip:agent%1$d@192.0.2.10>;tag=%1$d\r
        To: <sip:192.0.2.10>\r
        Call-ID: %1$d@10.0.0.%1$d\r
        CSeq: 1 NOTIFY\r
        Max-Forwards: 70\r
        Event: keep-alive\r
        Content-Length: 0\r
        \r
        """
            .formatted(agent);
    byte[] payload = text.getBytes(StandardCharsets.US_ASCII);
    return Packets.udp4("198.51.100.2", 20_000 + agent, "192.0.2.10", 5060, payload).toBytes();
  }
}
