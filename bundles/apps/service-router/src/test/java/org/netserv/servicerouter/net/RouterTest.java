// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.DatagramFlow;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.FlowHandler;
import org.netserv.serval.endpoint.ServalSocket;
import org.netserv.serval.endpoint.ServiceHandler;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.host.HostVerdict;
import org.netserv.servicerouter.Datagrams;
import org.netserv.servicerouter.LoopbackRouter;
import org.netserv.servicerouter.core.Outcome;

/** Routers and hosts by real sockets, each on its own address 127.0.0.x. Time is virtual. */
class RouterTest {
  private static final int CLIENTS = 40;
  private static final int LOOKS_MOST = 5000;
  private static final ServiceId ROUTER_ID = org.netserv.serval.endpoint.Router.PUBLISHED;

  private final AtomicLong clock = new AtomicLong();
  private final Endpoint near;
  private final Endpoint far;

  RouterTest() throws IOException {
    near = LoopbackRouter.free(3);
    far = LoopbackRouter.free(4);
  }

  private LoopbackRouter router(Endpoint at, String... properties) throws IOException {
    return new LoopbackRouter(at, clock::get, properties);
  }

  /** The router near the clients has the far one as its only target. */
  private LoopbackRouter near() throws IOException {
    return router(near, "rules", "default=" + LoopbackRouter.text(far));
  }

  /** The router near the servers takes their registrations. */
  private LoopbackRouter far() throws IOException {
    return router(far, "registrations", "0000", "routers", LoopbackRouter.text(near));
  }

  @Test
  void aSynGoesByTwoRoutersAndItsAnswerGoesDirectly() throws Exception {
    try (LoopbackRouter one = near();
        LoopbackRouter two = far();
        LoopbackHost client = new LoopbackHost(2, near);
        LoopbackHost server = new LoopbackHost(5, far)) {
      server.register();
      two.await(Outcome.RULE_OK, 1);
      Flow flow = client.connect(0);
      assertEquals(HostVerdict.REQUEST, server.take(0));
      assertEquals(far, server.sender());
      assertEquals(List.of(client.own, near, far), server.hops());
      assertEquals(HostVerdict.CONTROL, client.take(0));
      assertEquals(server.own, client.sender());
      assertEquals(List.of(client.own, near, far, server.own), client.hops());
      assertEquals(server.own, flow.peer());
      assertEquals(HostVerdict.CONTROL, server.take(0));
      assertEquals(client.own, server.sender());
      assertEquals(List.of("connected"), client.told);
      assertEquals(List.of("connected"), server.told);
      assertEquals(1, one.count(Outcome.FORWARD_FORWARD));
      assertEquals(1, two.count(Outcome.FORWARD_FORWARD));
    }
  }

  @Test
  void endpointsOfJavaProgramsFindEachOtherByName() throws Exception {
    ServiceId name = ServiceId.parse("00004001");
    CompletableFuture<String> answer = new CompletableFuture<>();
    ServiceHandler echo = opened -> (flow, payload) -> flow.send(payload);
    FlowHandler asks =
        new FlowHandler() {
          @Override
          public void connected(DatagramFlow flow) {
            flow.send(StandardCharsets.UTF_8.encode("name?"));
          }

          @Override
          public void received(DatagramFlow flow, ByteBuffer payload) {
            answer.complete(StandardCharsets.UTF_8.decode(payload) + " " + flow.peer().ipv4());
          }
        };
    try (LoopbackRouter one = near();
        LoopbackRouter two = far();
        ServalSocket server = endpoint(5, far);
        ServalSocket client = endpoint(2, near)) {
      server.call(endpoint -> endpoint.bind(ServicePrefix.of(name), echo)).join();
      two.await(Outcome.RULE_OK, 1);
      client.call(endpoint -> endpoint.connect(name, asks)).join();
      assertEquals("name? " + 0x7f000005, answer.get(30, TimeUnit.SECONDS));
      assertEquals(1, one.count(Outcome.FORWARD_FORWARD));
      assertEquals(1, two.count(Outcome.FORWARD_FORWARD));
    }
  }

  private static ServalSocket endpoint(int last, Endpoint router) throws IOException {
    InetSocketAddress local =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}), 0);
    var by = new org.netserv.serval.endpoint.Router(ROUTER_ID, router);
    return ServalSocket.open(local, EndpointSettings.DEFAULT.with(by));
  }

  @Test
  void aLostServerIsRoutedAroundWhenItsRuleEnds() throws Exception {
    try (LoopbackRouter one = near();
        LoopbackRouter two = far();
        LoopbackHost first = new LoopbackHost(5, far);
        LoopbackHost second = new LoopbackHost(6, far)) {
      first.register();
      second.register();
      two.await(Outcome.RULE_OK, 2);
      connectAll(0);
      int share = share(first, second);
      assertTrue(share > 0 && share < CLIENTS, "the first has " + share);
      clock.set(30_000);
      second.register(); // the first one is lost
      two.await(Outcome.RULE_OK, 3);
      clock.set(50_000);
      two.await(Outcome.ROUTER_EXPIRED, 1);
      connectAll(50_000);
      for (int i = 0; i < CLIENTS; i++) {
        assertEquals(HostVerdict.REQUEST, second.take(50_000));
      }
      assertFalse(first.hasMore());
      assertEquals(2 * CLIENTS, one.count(Outcome.FORWARD_FORWARD));
    }
  }

  private void connectAll(long now) throws IOException {
    for (int i = 0; i < CLIENTS; i++) {
      try (LoopbackHost client = new LoopbackHost(100 + i, near)) {
        client.connect(now);
      }
    }
  }

  /** Throws away the packets of all clients. Returns the number that the first host had. */
  private static int share(LoopbackHost first, LoopbackHost second) throws IOException {
    int share = 0;
    int got = 0;
    for (int looks = 0; got < CLIENTS && looks < LOOKS_MOST; looks++) {
      boolean one = first.hasMore();
      share += one ? 1 : 0;
      got += (one ? 1 : 0) + (second.hasMore() ? 1 : 0);
    }
    assertEquals(CLIENTS, got);
    return share;
  }

  @Test
  void aLoopOfTwoRoutersIsCut() throws Exception {
    try (LoopbackRouter one = near();
        LoopbackRouter two =
            router(
                far,
                "rules",
                "default=" + LoopbackRouter.text(near),
                "routers",
                LoopbackRouter.text(near));
        LoopbackHost client = new LoopbackHost(2, near)) {
      client.connect(0);
      two.await(Outcome.FORWARD_LOOP, 1);
      assertEquals(1, one.count(Outcome.FORWARD_FORWARD));
      assertEquals(0, two.count(Outcome.FORWARD_FORWARD));
      assertFalse(client.hasMore());
    }
  }

  @Test
  void aDelayedSynWaitsForTheServer() throws Exception {
    try (LoopbackRouter router =
            router(near, "rules", "0000=delay", "registrations", "0000", "held-seconds", "60");
        LoopbackHost client = new LoopbackHost(2, near);
        LoopbackHost server = new LoopbackHost(5, near)) {
      client.connect(0);
      router.await(Outcome.HOLD_OK, 1);
      server.register();
      assertEquals(HostVerdict.REQUEST, server.take(0));
      assertEquals(HostVerdict.CONTROL, client.take(0));
      assertEquals(server.own, client.sender());
    }
  }

  @Test
  void aDatagramThatIsTooLongIsCounted() throws Exception {
    try (LoopbackRouter router = near();
        LoopbackHost client = new LoopbackHost(2, near)) {
      client.send(ByteBuffer.allocate(2049), near);
      client.send(ByteBuffer.allocate(2048), near);
      client.send(Datagrams.syn(Datagrams.SHOP, 2), near);
      router.await(Outcome.FORWARD_FORWARD, 1);
      assertEquals(1, router.count(Outcome.ROUTER_TOO_LONG));
      assertEquals(1, router.count(Outcome.PACKET_HEADER_LENGTH));
    }
  }
}
