// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.SendRequest;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimConnections;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/** Nodes in a row: p(ublisher), a, a plain router, b, u(ser). */
class PathTest {
  private static final SessionId SESSION = SimApplication.session(1);

  private final SimNetwork network = SimNetwork.line(1, "p", "a", "router", "b", "u");
  private final SimHost publisher = network.host("p").start(GistSettings.DEFAULT);
  private final SimHost a = network.host("a").start(GistSettings.DEFAULT);
  private final SimHost b = network.host("b").start(GistSettings.DEFAULT);
  private final SimHost user = network.host("u");
  private final Mri flow = SimApplication.flow(publisher, user);

  /** Sends each message on to the next node. At the last node, sends an answer back. */
  private void relay(SimHost host, TransferAttributes attributes) {
    host.application.onReceived =
        message -> {
          if (message.mri().upstream()) {
            host.application.send(
                SimApplication.text(message) + "<" + host, SESSION, message.mri(), attributes);
          } else {
            host.node.sendMessage(
                new SendRequest(
                    message.payload(),
                    "on",
                    SimApplication.NSLPID,
                    SESSION,
                    message.mri(),
                    null,
                    attributes,
                    null,
                    message.hops()));
          }
        };
  }

  private void run(TransferAttributes attributes) {
    relay(a, attributes);
    b.application.onReceived =
        message -> b.application.send("answer of b", SESSION, message.mri().flipped(), attributes);
    publisher.application.send("setup", SESSION, flow, attributes);
    network.clock.pass(200);
  }

  @Test
  void reliableThereAndBack() {
    run(TransferAttributes.RELIABLE);
    assertEquals(List.of("setup"), a.application.texts().subList(0, 1));
    assertEquals(List.of("setup"), b.application.texts());
    assertEquals(List.of("answer of b<a"), publisher.application.texts());
    assertTrue(publisher.application.received.get(0).attributes().reliable());
    assertEquals(2, a.connections.open.size());
    assertEquals(List.of("setup SENT"), publisher.application.statuses);
  }

  @Test
  void byDatagramsThereAndBack() {
    run(TransferAttributes.UNRELIABLE);
    assertEquals(List.of("setup"), b.application.texts());
    assertEquals(List.of("answer of b<a"), publisher.application.texts());
    assertEquals(0, a.connections.open.size());
  }

  @Test
  void theLastNodeIsFoundByPortUnreachable() {
    b.application.send("beyond", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(600); // S=1 comes with the first retransmission
    assertEquals(
        List.of("beyond LAST_NODE " + NetworkNotification.PORT_UNREACHABLE),
        b.application.statuses);
    assertEquals(1, b.application.notifications.size());
    assertEquals(0, b.states());
    assertEquals(1, b.count(Counter.ICMP_ACCEPTED));
  }

  @Test
  void theLastNodeIsFoundBySilence() {
    user.silent = true;
    b.application.send("beyond", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(63_499);
    assertEquals(List.of(), b.application.statuses);
    network.clock.pass(1);
    assertEquals(
        List.of("beyond NO_RESPONSE " + NetworkNotification.NO_RESPONSE), b.application.statuses);
    assertEquals(0, b.states());
  }

  @Test
  void theEndOfTheFlowIsTheLastNode() {
    user.start(GistSettings.DEFAULT);
    user.application.send("beyond", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(0);
    assertEquals(
        List.of("beyond LAST_NODE " + NetworkNotification.ENDPOINT), user.application.statuses);
    assertEquals(0, network.seen.size());
  }

  @Test
  void aNodeThatDoesNotWantToPeerIsPassed() {
    a.application.decision = query -> PeeringDecision.PASS;
    b.application.onReceived =
        m -> b.application.send("answer", SESSION, m.mri().flipped(), TransferAttributes.RELIABLE);
    publisher.application.send("setup", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(200);
    assertEquals(List.of("answer"), publisher.application.texts());
    assertEquals(List.of(), a.application.texts());
    assertEquals(2, b.application.queries.get(0).distance(), "a and the router took one each");
  }

  @Test
  void tlsWhereTheMessageNeedsIt() {
    List<List<Integer>> both = List.of(SimConnections.TLS, SimConnections.TCP);
    publisher.start(GistSettings.DEFAULT, both);
    a.start(GistSettings.DEFAULT, both);
    publisher.application.send("secret", SESSION, flow, TransferAttributes.SECURE);
    network.clock.pass(200);
    assertEquals(List.of("secret"), a.application.texts());
    assertTrue(a.application.received.get(0).attributes().secure());
    assertEquals("dns:p", a.application.received.get(0).peerName());
  }

  @Test
  void manySessionsShareOneAssociation() {
    for (int i = 0; i < 50; i++) {
      publisher.application.send(
          "s" + i, SimApplication.session(i), flow, TransferAttributes.RELIABLE);
    }
    network.clock.pass(500);
    assertEquals(50, a.application.received.size());
    assertEquals(1, a.connections.open.size());
  }

  @Test
  void ipVersion6() {
    Mri six = PathCoupledMri.between(publisher.address(6), user.address(6));
    b.application.onReceived =
        m -> b.application.send("answer", SESSION, m.mri().flipped(), TransferAttributes.RELIABLE);
    a.application.decision = query -> PeeringDecision.PASS;
    publisher.application.send("setup", SESSION, six, TransferAttributes.RELIABLE);
    network.clock.pass(200);
    assertEquals(List.of("answer"), publisher.application.texts());
    b.application.send("beyond", SESSION, six, TransferAttributes.RELIABLE);
    network.clock.pass(600);
    assertTrue(
        b.application.statuses.contains(
            "beyond LAST_NODE " + NetworkNotification.PORT_UNREACHABLE));
  }

  @Test
  void aNatOnTheWayIsFound() {
    network.host("router").nat("b");
    a.application.send("through", SESSION, flow, TransferAttributes.RELIABLE);
    network.clock.pass(5_000);
    assertEquals(List.of("through REFUSED error 9/4 untranslated object"), a.application.statuses);
    assertTrue(b.count(Counter.REFUSED_LEGACY_NAT) > 0);
    assertEquals(0, a.states() + b.states());
  }

  @Test
  void smallHopCountsEndOnTheWay() {
    a.application.decision = query -> PeeringDecision.PASS;
    publisher.node.sendMessage(
        new SendRequest(
            new byte[4],
            "short",
            SimApplication.NSLPID,
            SESSION,
            flow,
            null,
            TransferAttributes.UNRELIABLE,
            null,
            1));
    network.clock.pass(1000);
    assertEquals(
        List.of("short REFUSED error 2/0 hop limit exceeded"), publisher.application.statuses);
  }
}
