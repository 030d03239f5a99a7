// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.base.Counters;
import org.netserv.provider.coverage.CoverageStore;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** The state outlives the process, and a kill at any byte of a write. */
class StateStoreTest {
  @TempDir Path directory;

  private StateStore open(Path file) throws IOException {
    return new StateStore(file, new Counters());
  }

  private static Agent agent(int number) throws BadValueException {
    return new Agent(Addresses.parse("198.51.100." + number), 5060, "agent-" + number);
  }

  @Test
  void whatWasCommittedIsThereAgain() throws IOException, BadValueException {
    Path file = directory.resolve("state.mv");
    InetAddress edge = Addresses.parse("2001:db8::1");
    try (StateStore store = open(file)) {
      store.agent(agent(1), 7);
      store.agent(Agent.keepingAlive(edge, 1), 8);
      store.agent(agent(2), 9);
      store.forgetAgent(agent(2));
      store.module("keepalive").node("abc", new CoverageStore.Saved(edge, 99, edge));
      store.module("keepalive").address(edge, "abc");
    }
    try (StateStore store = open(file)) {
      assertEquals(Map.of(agent(1), 7L, Agent.keepingAlive(edge, 1), 8L), store.agents());
      CoverageStore module = store.module("keepalive");
      assertEquals(Map.of("abc", new CoverageStore.Saved(edge, 99, edge)), module.nodes());
      assertEquals(Map.of(edge, "abc"), module.addresses());
      assertEquals(Map.of(), store.module("media-relay").nodes());
    }
  }

  @Test
  void aSecondProcessIsRefused() throws IOException {
    Path file = directory.resolve("state.mv");
    try (StateStore store = open(file)) {
      IOException refusal = assertThrows(IOException.class, () -> open(file));
      assertTrue(refusal.getMessage().contains("another provider"), refusal.getMessage());
      store.commit();
    }
  }

  /** A copy of the file while the process runs is what a kill -9 leaves. */
  @Test
  void aKillLeavesTheLastCommit() throws IOException, BadValueException {
    Path file = directory.resolve("state.mv");
    try (StateStore store = open(file)) {
      for (int i = 1; i <= 20; i++) {
        store.agent(agent(i), i);
        store.commit();
        store.agent(agent(200), i);
        Path copy = Files.copy(file, directory.resolve("killed-" + i));
        try (StateStore again = open(copy)) {
          assertEquals(i == 1 ? 1 : i + 1, again.agents().size());
        }
      }
    }
  }

  /** A file that ends anywhere, or has a damaged byte, is an earlier state or an empty one. */
  @Test
  void aTornOrDamagedFileNeverKeepsTheProviderFromItsStart() throws IOException, BadValueException {
    Path file = directory.resolve("state.mv");
    Set<Integer> sizes = new HashSet<>(Set.of(0));
    byte[] whole;
    try (StateStore store = open(file)) {
      for (int i = 1; i <= 20; i++) {
        store.agent(agent(i), i);
        store.commit();
        sizes.add(i);
      }
      whole = Files.readAllBytes(file);
    }
    Random random = new Random(3);
    for (int round = 0; round < 60; round++) {
      byte[] torn = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      if (round % 2 == 0) {
        torn = whole.clone();
        torn[random.nextInt(torn.length)] ^= (byte) (1 + random.nextInt(255));
      }
      Path copy = Files.write(directory.resolve("torn-" + round), torn);
      try (StateStore again = open(copy)) {
        assertTrue(again.agents().size() <= 20);
        again.agent(agent(99), 1);
        again.commit();
        assertTrue(again.agents().containsKey(agent(99)));
      }
      Files.delete(copy);
    }
    assertTrue(sizes.contains(20));
  }
}
