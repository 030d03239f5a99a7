// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.flow.Flow;
import org.netserv.values.AllocatedBytes;

/** Data of 100 flows of two hosts, and data that are refused. */
class AllocationTest {
  private static final int ROUNDS = 20_000;
  private static final int FLOWS = 100;
  private static final Endpoint HOME = Endpoint.ofIpv4(0x0a000001, 0);
  private static final Endpoint SHOP = Endpoint.ofIpv4(0x0a000009, 0);

  private final Host client = new Host(1, HOME, HostLimits.DEFAULT);
  private final Host server = new Host(2, SHOP, HostLimits.DEFAULT);
  private final Flow[] flows = new Flow[FLOWS];
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(100);
  private final SalWriter writer = new SalWriter();
  private final SalPacket packet = new SalPacket();
  private final Arrival arrival = new Arrival(packet);
  private int wrong;

  @Test
  void dataOfAFlowAllocateNothing() {
    for (int i = 0; i < FLOWS; i++) {
      flows[i] = client.table.connect(Host.SERVICE, HOME, client, 0);
      server.take(client, 0);
      client.take(server, 0);
      server.take(client, 0);
    }
    run();
    assertEquals(0, AllocatedBytes.least(this::run));
    assertEquals(0, wrong);
    long runs = server.table.verdicts().of(HostVerdict.DATA) / ROUNDS;
    assertEquals(runs * ROUNDS, server.table.verdicts().of(HostVerdict.WRONG_FLOW));
  }

  private void run() {
    for (int i = 0; i < ROUNDS; i++) {
      Flow flow = flows[i % FLOWS];
      int own = flow.identity().flowId();
      wrong += take(own, flow.peerFlow(), i) == HostVerdict.DATA ? 0 : 1;
      wrong += server.table.flow().peerFlow() == own ? 0 : 1;
      wrong += take(own + 1, flow.peerFlow(), i) == HostVerdict.WRONG_FLOW ? 0 : 1;
    }
  }

  private HostVerdict take(int from, int to, long now) {
    writer.begin(bytes, 0, 100, from, to, SalPacket.UDP).finish();
    if (packet.reset(bytes, 0, writer.end()) != ServalError.OK) {
      return null;
    }
    return server.table.take(arrival.set(HOME, SHOP, SHOP, now));
  }
}
