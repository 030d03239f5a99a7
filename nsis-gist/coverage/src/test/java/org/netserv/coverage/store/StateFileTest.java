// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.store;

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
import org.netserv.coverage.CoverageStore;
import org.netserv.coverage.count.Counters;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** The state outlives the process, and a kill at any byte of a write. */
class StateFileTest {
  private static final String USERS = "users";

  @TempDir Path directory;

  private StateFile open(Path file) throws IOException {
    return new StateFile(file, new Counters());
  }

  @Test
  void whatWasCommittedIsThereAgain() throws IOException, BadValueException {
    Path file = directory.resolve("state.mv");
    InetAddress edge = Addresses.parse("2001:db8::1");
    try (StateFile store = open(file)) {
      store.change(USERS, "user-" + 1, "" + 7);
      store.change(USERS, "user-" + 2, "" + 9);
      store.change(USERS, "user-2", null);
      store.coverage("keepalive").node("abc", new CoverageStore.Saved(edge, 99, edge));
      store.coverage("keepalive").address(edge, "abc");
    }
    try (StateFile store = open(file)) {
      assertEquals(Map.of("user-1", "7"), store.table(USERS));
      CoverageStore module = store.coverage("keepalive");
      assertEquals(Map.of("abc", new CoverageStore.Saved(edge, 99, edge)), module.nodes());
      assertEquals(Map.of(edge, "abc"), module.addresses());
      assertEquals(Map.of(), store.coverage("media-relay").nodes());
    }
  }

  @Test
  void aSecondProcessIsRefused() throws IOException {
    Path file = directory.resolve("state.mv");
    try (StateFile store = open(file)) {
      IOException refusal = assertThrows(IOException.class, () -> open(file));
      assertTrue(refusal.getMessage().contains("another process"), refusal.getMessage());
      store.commit();
    }
  }

  /** A copy of the file while the process runs is what a kill -9 leaves. */
  @Test
  void aKillLeavesTheLastCommit() throws IOException, BadValueException {
    Path file = directory.resolve("state.mv");
    try (StateFile store = open(file)) {
      for (int i = 1; i <= 20; i++) {
        store.change(USERS, "user-" + i, "" + i);
        store.commit();
        store.change(USERS, "user-" + 200, "" + i);
        Path copy = Files.copy(file, directory.resolve("killed-" + i));
        try (StateFile again = open(copy)) {
          assertEquals(i == 1 ? 1 : i + 1, again.table(USERS).size());
        }
      }
    }
  }

  /** A file that ends anywhere, or has a damaged byte, is an earlier state or an empty one. */
  @Test
  void aTornOrDamagedFileNeverKeepsAProcessFromItsStart() throws IOException, BadValueException {
    Path file = directory.resolve("state.mv");
    Set<Integer> sizes = new HashSet<>(Set.of(0));
    byte[] whole;
    try (StateFile store = open(file)) {
      for (int i = 1; i <= 20; i++) {
        store.change(USERS, "user-" + i, "" + i);
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
      try (StateFile again = open(copy)) {
        assertTrue(again.table(USERS).size() <= 20);
        again.change(USERS, "user-" + 99, "" + 1);
        again.commit();
        assertTrue(again.table(USERS).containsKey("user-99"));
      }
      Files.delete(copy);
    }
    assertTrue(sizes.contains(20));
  }
}
