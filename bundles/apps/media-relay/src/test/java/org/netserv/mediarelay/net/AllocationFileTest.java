// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.AllocationBytes;
import org.netserv.mediarelay.core.Stage;
import org.netserv.mediarelay.core.Why;
import org.netserv.stun.Lifetime;
import org.netserv.stun.StunMethod;

/** A file whose first writer is killed: it is never closed. */
class AllocationFileTest {
  private static final long MILLIS = 1_700_000_000_000L;
  private static final byte[] DIGEST = new byte[AllocationFile.DIGEST];

  @TempDir Path directory;
  private final Stage stage = new Stage();
  private Path path;
  private AllocationFile first;

  @BeforeEach
  void killed() throws IOException {
    path = directory.resolve("allocations");
    first = open();
    assertEquals(List.of(), first.begin(DIGEST));
    first.done();
    stage.allocations.keeper(first);
  }

  private AllocationFile open() throws IOException {
    return AllocationFile.open(path, 3, () -> MILLIS, stage.tally);
  }

  private void allocate(int number) {
    stage.allocate(stage.user("user" + number), stage.client(number));
  }

  private void delete(int number) {
    stage.succeed(
        stage.user("user" + number),
        stage.client(number),
        StunMethod.REFRESH,
        writer -> Lifetime.put(writer, 0));
  }

  private Set<String> users() throws IOException {
    return users(DIGEST);
  }

  private Set<String> users(byte[] digest) throws IOException {
    try (AllocationFile next = open()) {
      return next.begin(digest).stream()
          .map(left -> left.allocation().user())
          .collect(Collectors.toSet());
    }
  }

  @Test
  void theNextOneFindsWhatTheFirstHas() throws IOException {
    allocate(1);
    allocate(2);
    assertEquals(Set.of("user1", "user2"), users());
    assertEquals(0, Files.size(path), "an orderly end leaves nothing");
  }

  @Test
  void whatHasEndedIsNotFound() throws IOException {
    allocate(1);
    allocate(2);
    delete(1);
    assertEquals(Set.of("user2"), users());
  }

  @Test
  void aPlaceIsUsedAgain() throws IOException {
    for (int i = 1; i <= 20; i++) {
      allocate(i);
      delete(i);
    }
    allocate(21);
    assertTrue(Files.size(path) <= 2L * AllocationBytes.MOST, "bytes: " + Files.size(path));
    assertEquals(Set.of("user21"), users());
  }

  @Test
  void oneTooManyIsCounted() throws IOException {
    for (int i = 1; i <= 4; i++) {
      allocate(i);
    }
    assertEquals(1, stage.tally.get(Why.NOT_KEPT));
    assertEquals(Set.of("user1", "user2", "user3"), users());
  }

  @Test
  void otherPropertiesFindNothing() throws IOException {
    allocate(1);
    byte[] other = DIGEST.clone();
    other[31] = 1;
    assertEquals(Set.of(), users(other));
  }

  /** The second process ends while it makes allocations again, perhaps by them. */
  @Test
  void theThirdOneFindsNothingIfTheSecondHasNotDone() throws IOException {
    allocate(1);
    AllocationFile second = open();
    assertEquals(1, second.begin(DIGEST).size());
    assertEquals(Set.of(), users());
  }

  @Test
  void theThirdOneFindsWhatTheSecondHasMadeAgain() throws IOException {
    allocate(1);
    allocate(2);
    AllocationFile second = open();
    List<AllocationFile.Left> left = second.begin(DIGEST);
    Allocation first = stage.of(stage.client(1));
    second.again(first, left.get(0).slot());
    second.forget(left.get(1).slot());
    second.done();
    allocate(3);
    second.changed(stage.of(stage.client(3)), stage.now);
    assertEquals(Set.of("user1", "user3"), users());
  }

  @Test
  void aFileThatIsCutOffAnywhereGivesTheWholeOnes() throws IOException {
    allocate(1);
    allocate(2);
    byte[] whole = Files.readAllBytes(path);
    for (int length = 0; length <= whole.length; length++) {
      Files.write(path, java.util.Arrays.copyOf(whole, length));
      Set<String> users = users();
      assertTrue(Set.of("user1", "user2").containsAll(users), "length " + length);
      assertEquals(length == whole.length, users.size() == 2, "length " + length);
    }
  }

  @Test
  void bytesOfChanceAreNoAllocations() throws IOException {
    Random random = new Random(8656);
    for (int i = 0; i < 300; i++) {
      byte[] chance = new byte[random.nextInt(5000)];
      random.nextBytes(chance);
      System.arraycopy(DIGEST, 0, chance, 0, Math.min(DIGEST.length, chance.length));
      Files.write(path, chance);
      assertEquals(Set.of(), users());
    }
  }
}
