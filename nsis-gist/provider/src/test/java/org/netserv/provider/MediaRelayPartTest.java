// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.path.PathBudget;
import org.netserv.coverage.path.PathPort;
import org.netserv.coverage.store.StateFile;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.provider.base.Counter;
import org.netserv.provider.kamailio.RpcAnswer;
import org.netserv.provider.store.AgentStore;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** Kamailio is told the nearest relay of each agent, or the provider's own. */
class MediaRelayPartTest {
  private static final long LIFETIME = 7_200_000;
  private static final String OWN = "192.0.2.20:3478";

  @TempDir Path directory;
  private final Counters counters = new Counters(Counter.values());
  private final List<String> calls = new ArrayList<>();
  private final Deque<Runnable> answers = new ArrayDeque<>();
  private boolean node = true;
  private boolean room = true;
  private Agents agents;
  private MediaRelayPart part;
  private long now = 1_000_000_000_000L;

  @BeforeEach
  void open() throws Exception {
    StateFile store = new StateFile(directory.resolve("state.mv"), counters);
    agents = new Agents(100, new AgentStore(store), counters, 1000);
    Coverage coverage =
        new Coverage(
            port(),
            new PathBudget(4, 10_000, now),
            store.coverage("media-relay"),
            new Coverage.Settings(600_000, 60_000, 60_000, 100),
            counters,
            new Random(1),
            (address, time) -> part.moved(address, time));
    part =
        new MediaRelayPart(
            coverage,
            "relay",
            agents.table(),
            (method, arguments, done) -> {
              if (room) {
                calls.add(method + " " + arguments);
                done.accept(new RpcAnswer(0, "", List.of()));
              }
              return room;
            },
            new Credentials("north".getBytes(StandardCharsets.UTF_8), LIFETIME),
            new MediaRelayPart.Settings(3478, LIFETIME, OWN, "relays"));
    agents.tell(List.of(part));
  }

  /** A path with one node, or none. */
  private PathPort port() {
    return new PathPort() {
      private void answer(Listener listener) throws BadValueException {
        InetAddress at = Addresses.parse("198.51.100.1");
        List<NodeAnswer> nodes =
            node ? List.of(new NodeAnswer(1, "a", at, 200, "", Signer.VERIFIED)) : List.of();
        PathAnswer answer = new PathAnswer(PathEnd.PORT_UNREACHABLE, "", nodes, null);
        answers.add(() -> listener.answered(answer, ""));
      }

      @Override
      public void probe(InetAddress to, Listener listener) {
        try {
          answer(listener);
        } catch (BadValueException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void setup(String nodeId, InetAddress to, Listener listener) {
        probe(to, listener);
      }

      @Override
      public void remove(String nodeId, InetAddress to, Listener listener) {
        probe(to, listener);
      }
    };
  }

  private void run(long millis) {
    for (long end = now + millis; now < end; now += 1000) {
      agents.table().expire(now);
      part.turn(now);
      while (!answers.isEmpty()) {
        answers.poll().run();
      }
    }
  }

  private String last() {
    return calls.get(calls.size() - 1);
  }

  @Test
  void anAgentGetsTheOwnRelayFirstAndThenThatOfItsNode() {
    agents.line("1 register alice 198.51.100.7 5060 36000", now);
    part.turn(now);
    assertTrue(last().contains("turn:" + OWN + ";username=\""), last());
    run(5_000);
    assertTrue(last().startsWith("htable.setxs [relays, alice, turn:198.51.100.1:3478;"), last());
    assertTrue(last().endsWith(", 7200]"), last());
    assertEquals(2, calls.size());
  }

  @Test
  void aPathWithoutNodesGivesTheOwnRelayBack() {
    agents.line("1 register alice 198.51.100.7 5060 36000", now);
    run(5_000);
    node = false;
    run(70_000);
    assertTrue(last().contains("turn:" + OWN), last());
  }

  @Test
  void credentialsAreRenewedAtHalfOfTheirTimeAndForARestartedKamailio() {
    agents.line("1 register alice 198.51.100.7 5060 36000", now);
    run(5_000);
    int before = calls.size();
    run(LIFETIME / 2);
    assertEquals(before + 1, calls.size());
    part.connected(now);
    part.turn(now);
    assertEquals(before + 2, calls.size());
  }

  @Test
  void aFullQueueIsTriedAgain() {
    room = false;
    agents.line("1 register alice 198.51.100.7 5060 36000", now);
    run(3_000);
    assertEquals(List.of(), calls);
    room = true;
    run(3_000);
    assertTrue(last().contains("198.51.100.1:3478"), last());
  }

  @Test
  void anAgentThatLeavesTakesItsEntryAway() {
    agents.line("1 register alice 198.51.100.7 5060 36000", now);
    run(5_000);
    agents.line("1 gone alice 198.51.100.7 5060", now);
    assertEquals("htable.delete [relays, alice]", last());
    int before = calls.size();
    run(2 * LIFETIME);
    assertEquals(before, calls.size());
  }
}
