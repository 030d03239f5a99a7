// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.sim.SimPacket;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.QueryCookie;

/** A flood of Queries with forged sources. */
class FloodTest {
  private static final int QUERIES = 100_000;

  private final SimNetwork network = SimNetwork.line(1, "p", "a", "u");
  private final SimHost p = network.host("p").start(GistSettings.DEFAULT);
  private final SimHost a = network.host("a").start(GistSettings.DEFAULT);
  private final Random random = new Random(3);

  private InboundDatagram spoofed() {
    InetAddress source =
        SimNetwork.address(
            "172." + random.nextInt(256) + "." + random.nextInt(256) + "." + random.nextInt(256));
    byte[] cookie = new byte[16];
    random.nextBytes(cookie);
    RoutingKey key =
        new RoutingKey(
            PathCoupledMri.between(source, a.address()),
            SimApplication.session(random.nextInt()),
            SimApplication.NSLPID);
    GistMessage query =
        new Messages(cookie, null)
            .query(
                key,
                64,
                false,
                new NetworkLayerInfo(64, 30_000, cookie, source),
                new QueryCookie(cookie),
                null,
                null);
    return new InboundDatagram(
        0,
        source,
        270,
        a.address(),
        270,
        64,
        0,
        0,
        SimApplication.ROUTER_ALERT,
        1,
        true,
        Magic.wrap(query.encode()));
  }

  @Test
  void noStateAndNoMemoryForStrangers() {
    for (int i = 0; i < QUERIES; i++) {
      a.inject(spoofed());
      if (i % 5 == 0) {
        network.clock.pass(1);
      }
    }
    assertEquals(0, a.states());
    network.clock.pass(10_000);
    assertEquals(0, network.clock.pending(), "no timer is left");
    assertEquals(0L, a.counters.snapshot().get("send-queue"));
    assertTrue(a.count(Counter.QUERY_RECEIVED) > 90_000);
    assertTrue(network.sent(MessageType.RESPONSE) <= 2000L * 31 + 200, "the rate limit holds");
  }

  @Test
  void anHonestHandshakeCompletesMeanwhile() {
    PathCoupledMri flow = SimApplication.flow(p, network.host("u"));
    for (int i = 0; i < QUERIES; i++) {
      a.inject(spoofed());
      if (i == QUERIES / 10) {
        p.application.send("me", SimApplication.session(1), flow, TransferAttributes.RELIABLE);
      }
      if (i % 5 == 0) {
        network.clock.pass(1);
      }
    }
    network.clock.pass(10_000);
    assertEquals(List.of("me"), a.application.texts());
    assertEquals(1, a.states());
  }

  @Test
  void anAnswerIsHardlyLongerThanItsQuestion() {
    PathCoupledMri flow = SimApplication.flow(p, network.host("u"));
    p.application.send("me", SimApplication.session(1), flow, TransferAttributes.RELIABLE);
    network.clock.pass(100);
    SimPacket query = first(MessageType.QUERY);
    SimPacket response = first(MessageType.RESPONSE);
    assertTrue(
        response.payload().length <= query.payload().length + 48,
        response.payload().length + " for " + query.payload().length);
  }

  private SimPacket first(MessageType type) {
    return network.seen.stream()
        .filter(packet -> (packet.payload()[10] & 0x7f) == type.code())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aFullTableLetsQueriesPass() {
    GistSettings d = GistSettings.DEFAULT;
    GistSettings small =
        new GistSettings(
            d.t1(),
            d.t2(),
            d.validity(),
            d.hold(),
            d.rate(),
            d.rateBurst(),
            d.interceptionRate(),
            10,
            d.cookieLifetime(),
            false,
            1,
            List.of(),
            false,
            false,
            0,
            false);
    a.restart();
    a.stop();
    a.start(small);
    SimHost u = network.host("u").start(GistSettings.DEFAULT);
    PathCoupledMri flow = SimApplication.flow(p, u);
    for (int i = 0; i < 15; i++) {
      p.application.send("s" + i, SimApplication.session(i), flow, TransferAttributes.UNRELIABLE);
      network.clock.pass(100);
    }
    assertEquals(10, a.states());
    assertEquals(10, a.application.received.size());
    assertEquals(5, u.application.received.size(), "the next node takes what we cannot");
    assertEquals(5, a.count(Counter.FORWARDED_OVERLOAD));
  }
}
