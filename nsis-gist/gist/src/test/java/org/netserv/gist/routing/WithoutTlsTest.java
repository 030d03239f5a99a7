// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimConnections;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.Mri;

/**
 * Both sides offer TLS and TCP, and one side does not admit the other. A session that did not ask
 * for TLS goes on by TCP.
 */
class WithoutTlsTest {
  private static final List<List<Integer>> BOTH = List.of(SimConnections.TLS, SimConnections.TCP);

  private final SimNetwork network = SimNetwork.line(1, "p", "a", "u");
  private final SimHost p = network.host("p").start(GistSettings.DEFAULT, BOTH);
  private final SimHost a = network.host("a").start(GistSettings.DEFAULT, BOTH);
  private final Mri flow = SimApplication.flow(p, network.host("u"));

  /**
   * Excludes one side. With true the querier's list lacks the responder, with false the other way
   * round.
   */
  private void exclude(boolean byQuerier) {
    (byQuerier ? p : a).connections.trustsNobody = true;
  }

  private void send(String text, int session, TransferAttributes attributes) {
    p.application.send(text, SimApplication.session(session), flow, attributes);
  }

  private boolean told(Kind kind) {
    return p.application.notifications.stream().anyMatch(n -> n.kind() == kind);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reliableGoesByTcp(boolean byQuerier) {
    exclude(byQuerier);
    send("one", 1, TransferAttributes.RELIABLE);
    send("two", 1, TransferAttributes.RELIABLE);
    network.clock.pass(1_000);
    assertEquals(List.of("one", "two"), a.application.texts());
    assertEquals(List.of("one SENT", "two SENT"), p.application.statuses);
    assertFalse(a.application.received.get(0).attributes().secure());
    assertEquals(1, p.count(Counter.ASSOCIATION_WITHOUT_TLS));
    assertFalse(told(Kind.COMMUNICATION_FAILURE), "nothing was lost");
    assertFalse(told(Kind.NODE_AUTHORISATION_CHANGE));
    a.application.send(
        "back", SimApplication.session(1), flow.flipped(), TransferAttributes.RELIABLE);
    network.clock.pass(100);
    assertEquals(List.of("back"), p.application.texts());
  }

  /** TLS is tried once for all sessions, and once more when the list may have changed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allSessionsLearnFromOne(boolean byQuerier) {
    exclude(byQuerier);
    for (int i = 0; i < 100; i++) {
      send("message " + i, i, TransferAttributes.RELIABLE);
    }
    network.clock.pass(1_000);
    assertEquals(100, a.application.texts().size());
    assertEquals(100, new HashSet<>(a.application.texts()).size(), "none twice");
    assertEquals(1, p.connections.handshakes);
    assertEquals(1, a.connections.open.size());
    assertFalse(told(Kind.COMMUNICATION_FAILURE));
    send("later", 100, TransferAttributes.RELIABLE);
    network.clock.pass(1_000);
    assertEquals(101, a.application.texts().size());
    assertEquals(1, p.connections.handshakes);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoAskedForTlsIsToldThatThereIsNone(boolean byQuerier) {
    exclude(byQuerier);
    send("secret", 1, TransferAttributes.SECURE);
    network.clock.pass(10_000);
    assertEquals(List.of(), a.application.texts());
    assertEquals(0, p.count(Counter.ASSOCIATION_WITHOUT_TLS));
    assertEquals(1, p.count(Counter.STATE_REVOKED));
    assertTrue(told(Kind.NODE_AUTHORISATION_CHANGE));
    assertEquals(0, p.states());
    send("open", 2, TransferAttributes.RELIABLE);
    send("secret again", 3, TransferAttributes.SECURE);
    network.clock.pass(1_000);
    assertEquals(List.of("open"), a.application.texts(), "each session by what it asked for");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whereOnlyTlsIsOfferedNothingGoesByTcp(boolean byQuerier) {
    p.stop();
    p.start(GistSettings.DEFAULT, List.of(SimConnections.TLS));
    exclude(byQuerier);
    send("one", 1, TransferAttributes.RELIABLE);
    network.clock.pass(10_000);
    assertEquals(List.of(), a.application.texts());
    assertEquals(0, p.count(Counter.ASSOCIATION_WITHOUT_TLS));
    assertEquals(0, p.states());
  }

  @Test
  void whereThePeerOffersNoTcpTheSessionEnds() {
    a.stop();
    a.start(GistSettings.DEFAULT, List.of(SimConnections.TLS));
    p.connections.trustsNobody = true;
    send("one", 1, TransferAttributes.RELIABLE);
    network.clock.pass(10_000);
    assertEquals(1, p.application.statuses.size(), p.application.statuses.toString());
    assertTrue(p.application.statuses.get(0).startsWith("one NO_ASSOCIATION TLS is refused"));
    assertEquals(0, p.states());
    assertEquals(1, p.connections.handshakes, "no loop");
  }

  /**
   * A peer closes without an alert. Messages sent before may have arrived, so their loss is told.
   */
  @Test
  void aPeerThatClosesTlsWithoutAWordIsReachedByTcp() {
    a.connections.hangsUp = List.of(SimConnections.TLS);
    send("one", 1, TransferAttributes.RELIABLE);
    network.clock.pass(3_000);
    assertTrue(told(Kind.COMMUNICATION_FAILURE));
    assertEquals(2, p.connections.handshakes, "tried once more");
    assertEquals(1, p.count(Counter.ASSOCIATION_WITHOUT_TLS));
    send("two", 1, TransferAttributes.RELIABLE);
    network.clock.pass(1_000);
    assertEquals(List.of("two"), a.application.texts());
  }

  /** With no other transport, two connections that end without an alert end the state. */
  @Test
  void aPeerThatClosesEachConnectionIsGivenUp() {
    a.connections.hangsUp = BOTH;
    send("one", 1, TransferAttributes.RELIABLE);
    network.clock.pass(10_000);
    assertEquals(2, p.connections.handshakes);
    assertEquals(4, p.connections.made, "two by TLS, two by TCP, and no loop");
    assertTrue(told(Kind.COMMUNICATION_FAILURE));
    assertTrue(told(Kind.ROUTE_DELETION));
    assertEquals(0, p.states());
  }

  @Test
  void tlsIsTriedAgainWhenTheListMayHaveChanged() {
    p.connections.trustsNobody = true;
    send("one", 1, TransferAttributes.RELIABLE);
    network.clock.pass(1_000);
    p.connections.trustsNobody = false;
    network.clock.pass(200_000); // the association goes with its session
    send("two", 2, TransferAttributes.RELIABLE);
    network.clock.pass(1_000);
    assertEquals(List.of("one", "two"), a.application.texts());
    assertTrue(a.application.received.get(1).attributes().secure());
  }
}
