// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.serval.Endpoint;

/** Two machines against each other, by bytes, over networks of every kind in virtual time. */
class LossTest {
  private static final int SEEDS = 1_000;
  private static final long QUIET = 4_000_000;

  /** The refusals that copies and late messages of honest ends meet. */
  private static final Set<FlowRefusal> HONEST =
      EnumSet.of(FlowRefusal.OK, FlowRefusal.STALE, FlowRefusal.UNEXPECTED);

  private static void settled(Network network, String run) {
    End client = network.client;
    End server = network.server();
    if (unlucky(network)) {
      return;
    }
    assertEquals("CONNECTED SETTLED", client.flow.state() + " " + client.flow.moveState(), run);
    assertEquals("CONNECTED SETTLED", server.flow.state() + " " + server.flow.moveState(), run);
    assertEquals(client.flow.own(), server.flow.peer(), run);
    assertEquals(server.flow.own(), client.flow.peer(), run);
    assertFalse(client.frozen || server.frozen, run);
  }

  /** Tells whether all acknowledgements of the SYN-ACK were lost within the 60 s of RESPOND. */
  private static boolean unlucky(Network network) {
    return network.server().told.equals(List.of("forgotten"));
  }

  /**
   * Both ends have closed. Where messages get lost three times in a row, the 60 s of FINWAIT2 or
   * RESPOND may end before the peer's comes.
   *
   * @return the ends that have not seen the peer's FIN
   */
  private static long over(Network network, String run) {
    long missed = 0;
    if (unlucky(network)) {
      assertTrue(network.client.flow.isOver(), run);
      return 1;
    }
    assertTrue(HONEST.containsAll(network.refusals().keySet()), run + network.refusals());
    for (End end : List.of(network.client, network.server())) {
      assertTrue(end.flow.isOver(), run + end.told);
      assertEquals(1, end.told("connected"), run);
      assertEquals(1, end.told("forgotten"), run);
      assertEquals(0, end.told("reset") + end.told("silent"), run);
      missed += 1 - end.told("peer closed");
    }
    return missed;
  }

  /** Connects, moves both ends while it may, and closes when all is quiet. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, true",
    "0, 0.3, 2000, true",
    "0.1, 0.1, 500, true",
    "0.3, 0.3, 2000, true",
    "0, 0, 0, false",
    "0, 0.3, 2000, false",
    "0.1, 0.1, 500, false",
    "0.3, 0.3, 2000, false"
  })
  void settlesOnTheLastMove(double lost, double doubled, long jitter, boolean dies) {
    long missed = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      String run = "seed " + seed + " ";
      Network network = new Network(seed, lost, doubled, jitter, dies);
      network.client.flow.connect(0);
      int moves = network.random.nextInt(4);
      for (int i = 0; i < moves; i++) {
        boolean client = dies || network.random.nextBoolean();
        long at = 300_000L + network.random.nextInt(10_000);
        network.at(at, () -> network.move(client ? network.client : network.server()));
      }
      network.at(QUIET, () -> settled(network, run));
      boolean clientFirst = network.random.nextBoolean();
      long between = network.random.nextInt(5_000);
      network.at(
          QUIET + (clientFirst ? 0 : between), () -> network.client.flow.close(network.now()));
      network.at(
          QUIET + (clientFirst ? between : 0), () -> network.server().flow.close(network.now()));
      network.run();
      assertEquals(1, network.servers(), run);
      missed += over(network, run);
    }
    assertTrue(missed <= (lost < 0.3 ? 0 : SEEDS / 50), "missed " + missed);
  }

  /** The moves and the closing come at any time after the handshake, also at once. */
  @ParameterizedTest
  @CsvSource({"0, 0, 0", "0.1, 0.2, 1000", "0.3, 0.3, 3000"})
  void closesDuringMoves(double lost, double doubled, long jitter) {
    long missed = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      String run = "seed " + seed + " ";
      Network network = new Network(seed, lost, doubled, jitter, false);
      network.client.flow.connect(0);
      for (int i = network.random.nextInt(4); i > 0; i--) {
        boolean client = network.random.nextBoolean();
        network.at(
            300_000L + network.random.nextInt(10_000),
            () -> network.move(client ? network.client : network.server()));
      }
      network.at(
          300_000L + network.random.nextInt(10_000),
          () -> network.client.flow.close(network.now()));
      network.at(
          300_000L + network.random.nextInt(10_000),
          () -> network.server().flow.close(network.now()));
      network.run();
      missed += over(network, run);
    }
    assertTrue(missed <= (lost < 0.3 ? 0 : SEEDS / 50), "missed " + missed);
  }

  /** A client that moves before the handshake is over begins it again from there. */
  @Test
  void movesDuringTheHandshake() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Network network = new Network(seed, 0, 0, 0, true);
      network.client.flow.connect(0);
      network.at(network.random.nextInt(14), () -> network.move(network.client));
      network.at(QUIET, () -> {});
      network.run();
      settled(network, "seed " + seed);
    }
  }

  /** With a path that is cut, each end gives up by name, after a bounded number of tries. */
  @Test
  void aDeadPathEndsByName() {
    Network network = new Network(1, 1, 0, 0, false);
    network.client.flow.connect(0);
    network.run();
    assertEquals(List.of("silent", "forgotten"), network.client.told);
    assertTrue(network.client.flow.isOver());
  }

  @Test
  void threeMovesInOneInstant() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Network network = new Network(seed, 0.2, 0.5, 5_000, false);
      network.client.flow.connect(0);
      Endpoint[] last = new Endpoint[1];
      for (int i = 0; i < 3; i++) {
        network.at(300_000L + i, () -> last[0] = network.move(network.client));
      }
      network.at(QUIET, () -> {});
      network.run();
      settled(network, "seed " + seed);
      assertEquals(last[0], network.server().flow.peer());
    }
  }
}
