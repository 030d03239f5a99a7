// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Acknowledged records survive a kill at any point. A torn tail costs whole appends, never the
 * file.
 */
final class MvStoreLogTest {
  @TempDir Path directory;

  private static StateImage stateIn(Path file) throws LogException {
    MvStoreLog log = new MvStoreLog(file, 1_000_000);
    try {
      return log.snapshot().image();
    } finally {
      log.close();
    }
  }

  @Test
  void aCopyAtAnyTimeHoldsAllThatWasAcknowledged() throws Exception {
    for (int seed = 0; seed < 8; seed++) {
      Random random = new Random(seed);
      List<LogRecord> records = LogRecords.random(random, 120);
      Path file = directory.resolve("log" + seed);
      MvStoreLog log = new MvStoreLog(file, 20 + random.nextInt(60));
      for (int i = 0; i < records.size(); i++) {
        log.append(List.of(records.get(i)));
        if (random.nextInt(6) == 0) {
          Path copy = directory.resolve("copy" + seed + "-" + i);
          Files.copy(file, copy);
          assertEquals(
              DesiredState.fold(records.subList(0, i + 1)).image(),
              stateIn(copy),
              "seed " + seed + " after " + i);
        }
      }
      log.close();
      assertEquals(DesiredState.fold(records).image(), stateIn(file));
    }
  }

  @Test
  void aTruncatedFileOpensAtAnEarlierAppendOrSaysWhyNot() throws Exception {
    Random random = new Random(42);
    List<LogRecord> records = LogRecords.random(random, 60);
    List<StateImage> states = new ArrayList<>();
    Path file = directory.resolve("log");
    MvStoreLog log = new MvStoreLog(file, 1_000_000);
    states.add(log.snapshot().image());
    for (LogRecord record : records) {
      log.append(List.of(record));
      states.add(log.snapshot().image());
    }
    byte[] bytes = Files.readAllBytes(file);
    log.close();
    int opened = 0;
    for (int i = 0; i < 120; i++) {
      int length =
          i < 60 ? bytes.length - 1 - random.nextInt(20_000) : random.nextInt(bytes.length);
      Path cut = directory.resolve("cut" + i);
      Files.write(cut, Arrays.copyOf(bytes, Math.max(0, length)));
      try {
        assertTrue(states.contains(stateIn(cut)), "cut at " + length + " of " + bytes.length);
        opened++;
      } catch (LogException e) {
        assertTrue(e.getMessage().contains(cut.toString()), e.getMessage());
      }
    }
    assertTrue(opened >= 40, opened + " of 120 opened");
  }

  @Test
  void anAppendIsAllOrNothing() throws Exception {
    Path file = directory.resolve("log");
    List<LogRecord> records = LogRecords.random(new Random(7), 30);
    MvStoreLog log = new MvStoreLog(file, 1_000_000);
    List<StateImage> whole = new ArrayList<>();
    whole.add(log.snapshot().image());
    for (int i = 0; i < records.size(); i += 3) {
      log.append(records.subList(i, i + 3));
      whole.add(log.snapshot().image());
    }
    byte[] bytes = Files.readAllBytes(file);
    log.close();
    for (int back = 1; back < bytes.length; back += 997) {
      Path cut = directory.resolve("cut" + back);
      Files.write(cut, Arrays.copyOf(bytes, bytes.length - back));
      StateImage state;
      try {
        state = stateIn(cut);
      } catch (LogException e) {
        continue;
      }
      assertTrue(whole.contains(state), back + " bytes cut off");
    }
  }

  @Test
  void compactionBoundsTheNumberOfRecords() throws Exception {
    MvStoreLog log = new MvStoreLog(directory.resolve("log"), 10);
    List<LogRecord> records = LogRecords.random(new Random(3), 200);
    List<LogRecord> seen = new ArrayList<>();
    log.watch(seen::add);
    for (LogRecord record : records) {
      log.append(List.of(record));
      assertTrue(log.size() < 10);
    }
    assertEquals(records, seen);
    log.close();
    assertEquals(DesiredState.fold(records).image(), stateIn(directory.resolve("log")));
  }

  /** The modules of a publisher fail, with all the text that it can write. */
  @Test
  void theFileIsBoundedByTheLiveState() throws Exception {
    Path file = directory.resolve("log");
    MvStoreLog log = new MvStoreLog(file, 1_000);
    log.append(List.of(new LogRecord.Enrolled(0, "jane", 1)));
    String text = "x".repeat(64 << 10);
    long largest = 0;
    for (int i = 0; i < 10_000; i += 10) {
      List<LogRecord> records = new ArrayList<>();
      for (int k = i; k < i + 10; k++) {
        records.addAll(attempt(k, text));
      }
      log.append(records);
      largest = Math.max(largest, Files.size(file));
    }
    log.forget(Long.MAX_VALUE);
    assertEquals(List.of(), log.snapshot().image().nonces());
    log.append(List.of(new LogRecord.Enrolled(0, "john", 2)));
    log.close();
    long bound = MvStoreLog.GROWTH + (4 << 20);
    assertTrue(largest < bound, largest + " bytes, at most " + bound);
    assertEquals(List.of(), stateIn(file).modules());
    assertEquals(2, stateIn(file).publishers().size());
  }

  private static List<LogRecord> attempt(int i, String text) {
    long time = i * 1000L;
    LogRecord.Freshness fresh =
        new LogRecord.Freshness(i, "nonce" + i, time + 600_000, "b".repeat(64));
    return List.of(
        new LogRecord.Setup(
            time, "jane", "m", "1", "s", null, time + 9, 9, 0, fresh, "t".repeat(600), null),
        new LogRecord.Failed(time, "jane", "m", text),
        new LogRecord.Answered(time, "jane", "nonce" + i, new LogRecord.Answer(500, null, text)));
  }

  @Test
  void aKillDuringCompactionLeavesTheOldFile() throws Exception {
    Path file = directory.resolve("log");
    List<LogRecord> records = LogRecords.random(new Random(5), 40);
    MvStoreLog log = new MvStoreLog(file, 1_000_000);
    log.append(records);
    log.close();
    Path half = directory.resolve("log.new");
    Files.write(half, new byte[5_000]);
    MvStoreLog again = new MvStoreLog(file, 2);
    assertEquals(DesiredState.fold(records).image(), again.snapshot().image());
    again.append(List.of(new LogRecord.Enrolled(0, "zoe", 9)));
    again.close();
    assertTrue(Files.notExists(half));
    assertEquals(
        9,
        stateIn(file).publishers().stream()
            .filter(p -> p.user().equals("zoe"))
            .findAny()
            .orElseThrow()
            .index());
  }

  @Test
  void anAppendThatFailedIsForgottenAndTheNextOneHolds() throws Exception {
    Path file = directory.resolve("log");
    List<LogRecord> records = LogRecords.random(new Random(11), 30);
    MvStoreLog log = new MvStoreLog(file, 1_000_000);
    List<LogRecord> accepted = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      if (i % 5 == 3) {
        // An interrupt closes the file under the store, as an I/O error would.
        Thread.currentThread().interrupt();
        LogRecord refused = records.get(i);
        assertThrows(LogException.class, () -> log.append(List.of(refused)));
        assertTrue(Thread.interrupted());
      } else {
        log.append(List.of(records.get(i)));
        accepted.add(records.get(i));
      }
      assertEquals(DesiredState.fold(accepted).image(), log.snapshot().image());
    }
    log.close();
    assertEquals(DesiredState.fold(accepted).image(), stateIn(file));
  }

  @Test
  void aFileInUseIsRefusedByName() throws Exception {
    Path file = directory.resolve("log");
    MvStoreLog log = new MvStoreLog(file, 10);
    LogException refused = assertThrows(LogException.class, () -> new MvStoreLog(file, 10));
    assertTrue(refused.getMessage().startsWith(file.toString()), refused.getMessage());
    log.close();
  }

  @Test
  void garbageIsRefusedByName() throws IOException {
    Path file = directory.resolve("log");
    byte[] garbage = new byte[20_000];
    new Random(1).nextBytes(garbage);
    Files.write(file, garbage);
    LogException refused = assertThrows(LogException.class, () -> new MvStoreLog(file, 10));
    assertTrue(refused.getMessage().startsWith(file.toString()), refused.getMessage());
  }
}
