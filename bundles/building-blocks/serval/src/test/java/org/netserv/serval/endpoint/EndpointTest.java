// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.endpoint.Program.bytes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.host.HostVerdict;
import org.netserv.serval.stream.StreamSettings;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;

/** Endpoints and a service router in virtual time, without loss. */
class EndpointTest {
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final ServicePrefix HOME = ServicePrefix.of(ServiceId.parse("0000d903"));
  private static final Endpoint ROUTER = LossyNet.address(3);
  private static final EndpointSettings ROUTED =
      EndpointSettings.DEFAULT.with(new Router(Router.PUBLISHED, ROUTER));

  private final LossyNet net = new LossyNet(5);
  private final ServalEndpoint client = net.endpoint(1, ROUTED);
  private final ServalEndpoint server = net.endpoint(2, ROUTED);
  private final Program asker = new Program(false);
  private final Program echo = new Program(true);
  private TestRouter router;

  private void router(boolean keepsSource) {
    router = new TestRouter(net, ROUTER, keepsSource, net::now);
    net.attach(ROUTER, router::take);
  }

  private void later(long milliseconds) {
    net.run(net.now() + milliseconds);
  }

  private DatagramFlow connect() {
    DatagramFlow flow = client.connect(SHOP.id(), asker);
    later(100);
    return flow;
  }

  /** Else anybody could have an endpoint send its SYN-ACKs to a third address. */
  @Test
  void anotherRoutersListIsNotBelieved() {
    router(false);
    server.bind(SHOP, echo);
    Endpoint other = LossyNet.address(9);
    TestRouter stranger = new TestRouter(net, other, false, net::now);
    List<Endpoint> answered = new ArrayList<>();
    net.attach(
        other,
        (bytes, from, to) -> {
          if (from.equals(server.own())) {
            answered.add(from);
          } else {
            stranger.take(bytes, from, to);
          }
        });
    stranger.rule(SHOP, server.own());
    ServalEndpoint named = net.endpoint(7, ROUTED.with(new Router(Router.PUBLISHED, other)));
    DatagramFlow flow = named.connect(SHOP.id(), asker);
    later(400);
    assertFalse(flow.isOpen());
    assertEquals(List.of(server.own()), answered);
  }

  /** A router in the same container as the instance has another address for all others. */
  @Test
  void aRouterThatTheInstanceKnowsByAnotherAddress() {
    Endpoint inside = LossyNet.address(9);
    ServalEndpoint near = net.endpoint(7, ROUTED.with(new Router(Router.PUBLISHED, inside)));
    Wire wire = (packet, from, to) -> net.send(packet, to.equals(near.own()) ? inside : from, to);
    router = new TestRouter(wire, ROUTER, false, net::now);
    net.attach(ROUTER, router::take);
    net.attach(inside, router::take);
    near.bind(SHOP, echo);
    later(100);
    DatagramFlow flow = connect();
    assertTrue(flow.isOpen());
    assertEquals(near.own(), flow.peer());
    assertEquals(client.own(), echo.flows.get(0).peer());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFlowByNameOverARouter(boolean keepsSource) {
    router(keepsSource);
    Binding binding = server.bind(SHOP, echo);
    later(100);
    DatagramFlow flow = connect();
    assertTrue(flow.isOpen());
    assertEquals(server.own(), flow.peer());
    assertEquals(client.own(), echo.flows.get(0).peer());
    assertTrue(flow.send(bytes("one")));
    later(20);
    flow.close();
    assertFalse(flow.send(bytes("two")));
    later(100);
    assertEquals(List.of("connected", "one", "closed OWN"), asker.heard);
    assertEquals(List.of("connected", "one", "closed PEER"), echo.heard);
    assertEquals(0, server.size());
    later(61_000);
    assertEquals(0, client.size());
    assertEquals(1, client.verdicts().of(EndpointVerdict.NOT_OPEN));
    binding.close();
  }

  /** The handshake alone goes over the router. */
  @Test
  void dataGoStraight() {
    router(true);
    server.bind(SHOP, echo);
    later(100);
    DatagramFlow flow = connect();
    net.detach(ROUTER);
    flow.send(bytes("straight"));
    later(20);
    assertEquals(List.of("connected", "straight"), asker.heard);
  }

  /** Registered at once and again, from the new address after a move, and withdrawn by close. */
  @Test
  void theRouterKnowsTheServiceFromBindToClose() {
    router(true);
    Binding binding = server.bind(SHOP, echo);
    server.bindLocally(HOME, echo);
    later(200_000);
    assertEquals(1, router.table.rules().size());
    net.move(server, 22, true);
    later(100);
    assertEquals(
        List.of(Target.address(LossyNet.address(22))),
        router.table.rules().stream().map(Rule::target).toList());
    binding.close();
    binding.close();
    later(20);
    assertEquals(List.of(), router.table.rules());
    later(60_000);
    assertEquals(List.of(), router.table.rules());
    assertEquals(Long.MAX_VALUE, server.dueAt());
  }

  /** Another program gets the address that a server has left. */
  @Test
  void aMoveRemovesNoLaterRuleOfTheOldAddress() {
    router(true);
    server.bind(SHOP, echo);
    later(100);
    net.move(server, 22, true);
    later(10_000);
    net.endpoint(2, ROUTED).bind(SHOP, echo);
    later(200_000);
    assertEquals(2, router.table.rules().size());
  }

  @Test
  void aLostRegistrationIsRepeatedAndADeadServerForgotten() {
    net.lost = 1;
    router(true);
    server.bind(SHOP, echo);
    later(600);
    net.lost = 0;
    later(1_000);
    assertEquals(1, router.table.rules().size());
    net.detach(server.own());
    later(TestRouter.LIFETIME + 1_000);
    router.table.expire(net.now());
    assertEquals(List.of(), router.table.rules());
  }

  /** Each SYN is resolved anew, so the client finds the instance that lives. */
  @Test
  void failOver() {
    router(true);
    ServalEndpoint dead = net.endpoint(4, ROUTED);
    dead.bind(SHOP, echo);
    later(100);
    net.detach(dead.own());
    DatagramFlow flow = client.connect(SHOP.id(), asker);
    later(1_000);
    assertNull(flow.peer());
    router.table.withdraw(router.table.rules().get(0));
    server.bind(SHOP, echo);
    later(10_000);
    assertTrue(flow.isOpen());
    assertEquals(server.own(), flow.peer());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void unconnectedDatagrams(boolean keepsSource) {
    router(keepsSource);
    server.bind(SHOP, echo);
    Binding own = client.bindLocally(HOME, asker);
    later(100);
    assertTrue(own.send(SHOP.id(), bytes("hello")));
    later(100);
    assertEquals(List.of("datagram hello"), echo.heard);
    assertEquals(List.of("datagram hello"), asker.heard);
    own.close();
    own.send(SHOP.id(), bytes("again"));
    later(100);
    assertEquals(List.of("datagram hello"), asker.heard);
    assertEquals(1, client.host().verdicts().of(HostVerdict.NO_LISTENER));
  }

  @Test
  void withoutARouterByARuleOfTheProgram() {
    ServalEndpoint alone = net.endpoint(7, EndpointSettings.DEFAULT);
    server.bindLocally(SHOP, echo);
    Origin origin = new Origin(Origin.Kind.OPERATOR, "test");
    Rule rule =
        new Rule(
            SHOP,
            RuleAction.FORWARD,
            Target.address(server.own()),
            Rank.ZERO,
            0,
            origin,
            Rule.FOREVER);
    alone.services().add(rule, 0);
    DatagramFlow flow = alone.connect(SHOP.id(), asker);
    later(100);
    flow.send(bytes("direct"));
    later(100);
    assertEquals(List.of("connected", "direct"), asker.heard);
  }

  @Test
  void anEndpointReachesItself() {
    server.bindLocally(SHOP, echo);
    DatagramFlow flow = server.connect(SHOP.id(), asker);
    later(100);
    flow.send(bytes("self"));
    later(100);
    assertEquals(List.of("connected", "self"), asker.heard);
  }

  /** Either end moves, and its old address dies at the same time. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMove(boolean clientMoves) {
    router(true);
    server.bind(SHOP, echo);
    later(100);
    DatagramFlow flow = connect();
    net.move(clientMoves ? client : server, 9, true);
    later(100);
    assertEquals(LossyNet.address(9), clientMoves ? flow.own() : flow.peer());
    assertEquals(clientMoves ? flow.own() : flow.peer(), LossyNet.address(9));
    assertFalse(client.uses(LossyNet.address(9)) && server.uses(LossyNet.address(9)));
    assertEquals(1, asker.moves);
    assertEquals(1, echo.moves);
    flow.send(bytes("there"));
    later(100);
    assertEquals(List.of("connected", "there"), asker.heard);
  }

  /** Clients of a table that is not told of a move still come to the old address. */
  @Test
  void aFlowThatBeginsAtALeftAddressMovesToThePresentOne() {
    ServalEndpoint alone = net.endpoint(7, toward(server.own()));
    server.bindLocally(SHOP, echo);
    server.move(LossyNet.address(22));
    net.attach(LossyNet.address(22), server::receive);
    DatagramFlow flow = alone.connect(SHOP.id(), asker);
    later(100);
    assertEquals(LossyNet.address(22), flow.peer());
    assertEquals(LossyNet.address(22), echo.flows.get(0).own());
    flow.send(bytes("there"));
    later(100);
    assertEquals(List.of("connected", "there"), asker.heard);
  }

  private static EndpointSettings toward(Endpoint address) {
    return EndpointSettings.DEFAULT.with(new Router(Router.PUBLISHED, address));
  }

  /** A bind that the table refuses registers nothing. */
  @Test
  void aFullServiceTable() {
    TableLimits two = new TableLimits(2, 2, 2);
    EndpointSettings small =
        new EndpointSettings(
            ROUTED.routers(), 10, 0, HostLimits.DEFAULT, two, StreamSettings.DEFAULT);
    ServalEndpoint full = net.endpoint(8, small);
    full.bind(HOME, echo);
    router(true);
    later(100);
    long sent = full.verdicts().of(EndpointVerdict.SENT);
    assertThrows(IllegalStateException.class, () -> full.bind(SHOP, echo));
    assertEquals(sent, full.verdicts().of(EndpointVerdict.SENT));
    EndpointSettings itself = toward(LossyNet.address(9));
    assertThrows(IllegalArgumentException.class, () -> net.endpoint(9, itself));
  }

  @Test
  void theLongestPayloadHasBounds() {
    for (int longest : new int[] {0, EndpointSettings.MOST + 1}) {
      assertThrows(
          IllegalArgumentException.class,
          () ->
              new EndpointSettings(
                  List.of(),
                  longest,
                  0,
                  HostLimits.DEFAULT,
                  TableLimits.DEFAULT,
                  StreamSettings.DEFAULT));
    }
  }

  @Test
  void closingAnEndpointBreaksOffItsFlows() {
    router(true);
    server.bind(SHOP, echo);
    later(100);
    connect();
    server.close();
    later(100);
    assertEquals(List.of("connected", "closed RESET"), asker.heard);
    assertEquals(List.of("connected", "closed OWN"), echo.heard);
    assertEquals(0, client.size() + server.size());
    assertEquals(List.of(), router.table.rules());
  }

  @Test
  void aFlowThatTheProgramDoesNotAccept() {
    router(true);
    server.bind(SHOP, echo);
    later(100);
    echo.accepts = false;
    connect();
    assertEquals(List.of("connected", "closed RESET"), asker.heard);
    assertEquals(List.of(), echo.heard);
    assertEquals(1, server.verdicts().of(EndpointVerdict.NOT_ACCEPTED));
    assertEquals(0, server.size());
  }

  @Test
  void aServiceThatNobodyOffers() {
    router(true);
    client.connect(SHOP.id(), asker);
    later(3_000_000);
    assertEquals(List.of("closed SILENT"), asker.heard);
    assertEquals(0, client.size());
  }

  /** A program may call the endpoint while it is told something. */
  @Test
  void handlersCallTheEndpoint() {
    router(true);
    server.bind(SHOP, echo);
    later(100);
    client.connect(
        SHOP.id(),
        new FlowHandler() {
          @Override
          public void connected(DatagramFlow flow) {
            flow.send(bytes("at once"));
          }

          @Override
          public void received(DatagramFlow flow, ByteBuffer payload) {
            asker.received(flow, payload);
            flow.close();
            client.connect(SHOP.id(), asker);
          }
        });
    later(200);
    assertEquals(List.of("at once", "connected"), asker.heard);
    assertTrue(echo.heard.contains("closed PEER"));
  }

  @Test
  void everyRefusalByItsName() {
    ServalEndpoint small =
        net.endpoint(
            8,
            new EndpointSettings(
                List.of(),
                10,
                0,
                new HostLimits(1, 1),
                TableLimits.DEFAULT,
                StreamSettings.DEFAULT));
    Binding own = small.bindLocally(HOME, asker);
    assertFalse(own.send(SHOP.id(), bytes("lost")));
    assertFalse(own.send(SHOP.id(), bytes("")));
    assertFalse(own.send(SHOP.id(), bytes("eleven byte")));
    assertTrue(own.send(HOME.id(), bytes("ten bytes!")));
    small.connect(SHOP.id(), asker);
    assertThrows(IllegalStateException.class, () -> small.connect(SHOP.id(), asker));
    later(100);
    assertEquals(List.of("datagram ten bytes!"), asker.heard);
    assertEquals(2, small.verdicts().of(EndpointVerdict.NO_RULE));
    assertEquals(1, small.verdicts().of(EndpointVerdict.EMPTY));
    assertEquals(1, small.verdicts().of(EndpointVerdict.TOO_LONG));
    assertEquals(1, small.verdicts().of(EndpointVerdict.SENT));
    assertEquals(1, small.verdicts().of(EndpointVerdict.DELIVERED));
    assertEquals(1, small.host().verdicts().of(HostVerdict.FLOWS_FULL));
  }
}
