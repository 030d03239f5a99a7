// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.endpoint.Program.bytes;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Target;

/** Endpoints that have two routers, in virtual time. */
class SeveralRoutersTest {
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final Endpoint ONE = LossyNet.address(3);
  private static final Endpoint TWO = LossyNet.address(4);
  private static final EndpointSettings BOTH =
      EndpointSettings.DEFAULT.with(
          new Router(Router.PUBLISHED, ONE), new Router(Router.PUBLISHED, TWO));
  private static final int SEEDS = 200;

  private LossyNet net = new LossyNet(5);
  private TestRouter one;
  private TestRouter two;
  private ServalEndpoint client;
  private ServalEndpoint server;
  private Program asker;
  private Program echo;

  private void begin(long seed) {
    net = new LossyNet(seed);
    one = new TestRouter(net, ONE, false, net::now);
    two = new TestRouter(net, TWO, false, net::now);
    net.attach(ONE, one::take);
    net.attach(TWO, two::take);
    client = net.endpoint(1, BOTH);
    server = net.endpoint(2, BOTH);
    asker = new Program(false);
    echo = new Program(true);
  }

  private void later(long milliseconds) {
    net.run(net.now() + milliseconds);
  }

  private void rules(int inOne, int inTwo) {
    assertEquals(inOne, one.table.rules().size());
    assertEquals(inTwo, two.table.rules().size());
  }

  @Test
  void bothKnowTheServiceFromBindToClose() {
    begin(5);
    Binding binding = server.bind(SHOP, echo);
    later(200_000);
    rules(1, 1);
    net.move(server, 22, true);
    later(100);
    assertEquals(Target.address(LossyNet.address(22)), one.table.rules().get(0).target());
    assertEquals(Target.address(LossyNet.address(22)), two.table.rules().get(0).target());
    binding.close();
    later(60_000);
    rules(0, 0);
    assertEquals(Long.MAX_VALUE, server.dueAt());
  }

  /** A SYN that is sent again goes to the other router sooner or later. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDeadRouterStopsNobody(boolean firstDies) {
    for (int seed = 0; seed < SEEDS; seed++) {
      begin(seed);
      server.bind(SHOP, echo);
      later(20_000);
      net.detach(firstDies ? ONE : TWO);
      DatagramFlow flow = client.connect(SHOP.id(), asker);
      later(1_300_000);
      assertTrue(flow.isOpen(), "seed " + seed);
      assertEquals(server.own(), flow.peer());
    }
  }

  /** Requests of either router name their client, and both answer directly. */
  @Test
  void listsOfBothRoutersCount() {
    begin(5);
    server.bind(SHOP, echo);
    later(100);
    for (int i = 0; i < 40; i++) {
      DatagramFlow flow = client.connect(SHOP.id(), asker);
      later(100);
      assertTrue(flow.isOpen());
    }
    assertEquals(40, one.packets() + two.packets());
    assertTrue(one.packets() > 5 && two.packets() > 5, one.packets() + " by the first one");
  }

  @Test
  void aDrainedServiceStaysForThoseThatAreThere() {
    begin(5);
    Binding binding = server.bind(SHOP, echo);
    later(100);
    DatagramFlow flow = client.connect(SHOP.id(), asker);
    later(100);
    binding.drain();
    binding.drain();
    later(20);
    rules(0, 0);
    flow.send(bytes("still"));
    later(100);
    assertEquals(List.of("connected", "still"), asker.heard);
    binding.resume(); // before the last repetition of the withdrawal
    later(10_000);
    rules(1, 1);
    binding.close();
    binding.resume();
    later(60_000);
    rules(0, 0);
  }

  @Test
  void aSickServiceIsDrainedAndComesBack() {
    begin(5);
    Binding binding = server.bind(SHOP, echo);
    boolean[] well = {true};
    binding.check(() -> well[0], 1_000);
    later(10_000);
    rules(1, 1);
    well[0] = false;
    later(Health.FALL * 1_000 - 500);
    rules(1, 1);
    later(1_000);
    rules(0, 0);
    well[0] = true;
    later(Health.RISE * 1_000 + 500);
    rules(1, 1);
    binding.close();
    later(60_000);
    assertEquals(Long.MAX_VALUE, server.dueAt());
  }

  /** One slow answer between two good ones, and a check that throws. */
  @Test
  void oneFailureChangesNothing() {
    begin(5);
    Binding binding = server.bind(SHOP, echo);
    int[] calls = {0};
    binding.check(() -> calls[0]++ % Health.FALL == 0, 1_000);
    later(60_000);
    rules(1, 1);
    binding.check(
        () -> {
          throw new IllegalStateException("broken");
        },
        1_000);
    later(Health.FALL * 1_000 + 500);
    rules(0, 0);
    assertThrows(IllegalArgumentException.class, () -> binding.check(() -> true, 0));
    assertThrows(IllegalArgumentException.class, () -> binding.weight(65_536));
  }
}
