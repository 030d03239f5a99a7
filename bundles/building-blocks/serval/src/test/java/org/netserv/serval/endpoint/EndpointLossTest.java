// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.endpoint.Program.bytes;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.host.HostVerdict;

/**
 * A client asks an echo once each second, while both ends move and the network loses, doubles and
 * reorders what they send. Then the network is well again.
 */
class EndpointLossTest {
  private static final int SEEDS = 80;
  private static final int ASKED = 600;
  private static final int SYN_ACKS = 5; // at 0, 3, 9, 21 and 45 s
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final Endpoint ROUTER = LossyNet.address(3);
  private static final EndpointSettings ROUTED =
      EndpointSettings.DEFAULT.with(new Router(Router.PUBLISHED, ROUTER));

  private LossyNet net;
  private ServalEndpoint client;
  private ServalEndpoint server;
  private Program asker;
  private Program echo;
  private DatagramFlow flow;
  private String run;

  @ParameterizedTest
  @CsvSource({"0, 0, 0", "0.1, 0.1, 500", "0.3, 0.3, 2000"})
  void theFlowSurvives(double lost, double doubled, long jitter) {
    long answers = 0;
    int forgotten = 0;
    double forgets = 0;
    double expected = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      run = "seed " + seed;
      begin(seed, lost, doubled, jitter);
      forgets += Math.pow(net.none(2), SYN_ACKS);
      if (serverForgot()) {
        forgotten++;
        continue;
      }
      net.gone = 0;
      double answered = 1 - net.none(2);
      answers += ask();
      expected += answered * (ASKED - net.gone);
      wellAgain();
      close();
    }
    assertTrue(answers >= expected - 3 * Math.sqrt(expected), answers + " of " + expected);
    assertTrue(forgotten <= forgets + 3 * Math.sqrt(forgets), forgotten + " of " + forgets);
  }

  /** An even seed has a router that keeps the source. */
  private static boolean keepsSource(int seed) {
    return seed % 2 == 0;
  }

  /**
   * Tells whether the server has forgotten the request. It does so after 60 s, in which it sends
   * five SYN-ACKs at least, only if not one acknowledgement has come.
   */
  private boolean serverForgot() {
    boolean forgot = echo.flows.isEmpty();
    assertEquals(forgot, net.delivered[ControlFlags.ACK] == 0, run);
    assertTrue(!forgot || net.sent[ControlFlags.SYN | ControlFlags.ACK] >= SYN_ACKS, run);
    return forgot;
  }

  private void begin(int seed, double lost, double doubled, long jitter) {
    net = new LossyNet(seed);
    net.lost = lost;
    net.doubled = doubled;
    net.jitter = jitter;
    client = net.endpoint(100, ROUTED);
    server = net.endpoint(200, ROUTED);
    asker = new Program(false);
    echo = new Program(true);
    TestRouter router = new TestRouter(net, ROUTER, keepsSource(seed), net::now);
    net.attach(ROUTER, router::take);
    server.bind(SHOP, echo);
    flow = client.connect(SHOP.id(), asker);
    while (!flow.isOpen()) {
      assertTrue(asker.heard.isEmpty(), run);
      net.run(net.now() + 1_000);
    }
    net.run(net.now() + 70_000);
  }

  /** Asks while each end moves twice, one after the other. Returns the number of answers. */
  private int ask() {
    long start = net.now();
    for (int i = 0; i < ASKED; i++) {
      String text = "question " + i;
      net.at(start + i * 1_000L, () -> flow.send(bytes(text)));
    }
    boolean dies = net.random.nextBoolean();
    for (int i = 1; i <= 2; i++) {
      int host = i;
      net.at(start + i * 250_000L - 200_000, () -> move(client, 100 + host, dies));
      net.at(start + i * 250_000L - 80_000, () -> move(server, 200 + host, dies));
    }
    net.run(start + ASKED * 1_000L + 10_000);
    Set<String> answers = new HashSet<>(asker.heard);
    answers.removeIf(text -> !text.startsWith("question "));
    assertTrue(answers.size() <= ASKED, run);
    return answers.size();
  }

  /** The old address may die only if the last move is over, or the ends would lose each other. */
  private void move(ServalEndpoint moved, int host, boolean dies) {
    boolean settled =
        flow.peer().equals(server.own()) && echo.flows.get(0).peer().equals(client.own());
    net.move(moved, host, dies && settled);
  }

  private void wellAgain() {
    net.lost = 0;
    net.run(net.now() + 400_000);
    assertEquals(server.own(), flow.peer(), run);
    assertEquals(client.own(), echo.flows.get(0).peer(), run);
    asker.heard.clear();
    flow.send(bytes("well"));
    net.run(net.now() + 10_000);
    assertTrue(asker.heard.contains("well"), run);
  }

  /**
   * Both ends move three times at once, so that each has noted an address which the other has left
   * again.
   */
  @ParameterizedTest
  @CsvSource({"0, 0, 0", "0, 0.3, 2000", "0.3, 0.3, 2000"})
  void bothMoveAtOnceAndAgain(double lost, double doubled, long jitter) {
    for (int seed = 0; seed < SEEDS; seed++) {
      run = "seed " + seed;
      begin(seed, 0, 0, 0);
      net.lost = lost;
      net.doubled = doubled;
      net.jitter = jitter;
      for (int i = 1; i <= 3; i++) {
        int host = i;
        long at = net.now() + i * 500L;
        net.at(at + net.random.nextInt(2_000), () -> net.move(client, 100 + host, false));
        net.at(at + net.random.nextInt(2_000), () -> net.move(server, 200 + host, false));
      }
      net.run(net.now() + 30_000);
      wellAgain();
      close();
    }
  }

  private void close() {
    echo.flows.get(0).close();
    net.run(net.now() + 200_000);
    assertEquals(1, asker.heard.stream().filter("closed PEER"::equals).count(), run);
    assertEquals(1, echo.heard.stream().filter("closed OWN"::equals).count(), run);
    assertEquals(0, client.size() + server.size(), run);
    for (ServalEndpoint end : List.of(client, server)) {
      assertEquals(0, end.host().verdicts().of(HostVerdict.WRONG_FLOW), run);
      assertEquals(0, end.verdicts().of(EndpointVerdict.CHECKSUM), run);
      assertEquals(0, end.verdicts().of(EndpointVerdict.LENGTH), run);
      assertEquals(0, end.faults().of(ServalError.CHECKSUM), run);
    }
  }
}
