// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.LogRecord.Freshness;

/** The fold: the effect of each record, and no effect of an image in its middle. */
final class DesiredStateTest {
  private static final ModuleKey KEY = new ModuleKey("u", "m");

  private static LogRecord setup(long time, String version, String session) {
    return new LogRecord.Setup(
        time, "u", "m", version, session, "sha" + version, time + 1000, 1000, 0, null, "t", null);
  }

  private static LogRecord running(String version) {
    return new LogRecord.Running(0, "u", "m", "sha" + version);
  }

  @Test
  void anImageInTheMiddleChangesNothing() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<LogRecord> records = LogRecords.random(random, 80);
      int cut = random.nextInt(records.size());
      List<LogRecord> other = new ArrayList<>();
      other.add(new LogRecord.Image(0, DesiredState.fold(records.subList(0, cut)).image()));
      other.addAll(records.subList(cut, records.size()));
      assertEquals(
          DesiredState.fold(records).image(), DesiredState.fold(other).image(), "seed " + seed);
    }
  }

  @Test
  void invariantsHoldAfterEveryRecord() {
    for (int seed = 0; seed < 200; seed++) {
      DesiredState state = new DesiredState();
      for (LogRecord record : LogRecords.random(new Random(seed), 80)) {
        state.apply(record);
        Set<ModuleKey> keys = new HashSet<>();
        for (DesiredModule module : state.modules()) {
          assertTrue(keys.add(module.key()));
          assertFalse(module.claims().isEmpty(), "a module lives by its claims: seed " + seed);
          assertFalse(
              module.confirmed() && module.previous().isPresent(), "what runs has no predecessor");
        }
        for (FetchedBundle bundle : state.bundles()) {
          assertFalse(bundle.claims().isEmpty(), "a bundle lives by its claims: seed " + seed);
        }
        for (StateImage.Nonce nonce : state.image().nonces()) {
          assertTrue(nonce.until() + 100L * 200_000 > record.time());
        }
      }
    }
  }

  @Test
  void aNewVersionKeepsTheOldUntilItRuns() {
    DesiredState state =
        DesiredState.fold(List.of(setup(0, "1", "a"), running("1"), setup(5, "2", "a")));
    DesiredModule module = state.module(KEY).orElseThrow();
    assertEquals("2", module.current().version());
    assertEquals("1", module.previous().orElseThrow().version());
    state.apply(new LogRecord.Failed(6, "u", "m", "no"));
    assertEquals("1", module.current().version());
    assertTrue(module.confirmed());
    state.apply(setup(7, "3", "a"));
    state.apply(running("3"));
    assertEquals("3", module.current().version());
    assertTrue(module.previous().isEmpty());
  }

  @Test
  void aFailedAttemptLeavesTheClaimsAsTheyWere() {
    DesiredState state =
        DesiredState.fold(
            List.of(setup(0, "1", "a"), running("1"), setup(5, "2", "a"), setup(6, "2", "b")));
    DesiredModule module = state.module(KEY).orElseThrow();
    assertEquals(1006, module.deadline());
    state.apply(new LogRecord.Failed(7, "u", "m", "no"));
    assertEquals(1000, module.deadline());
    assertTrue(module.claim("b").isEmpty());
    state.apply(setup(8, "2", "b"));
    state.apply(new LogRecord.Lapsed(9, "u", "m", "a"));
    state.apply(new LogRecord.Failed(10, "u", "m", "no"));
    assertTrue(state.module(KEY).isEmpty(), "nobody claims the old version any more");
  }

  @Test
  void aFailedFirstVersionIsGone() {
    DesiredState state =
        DesiredState.fold(List.of(setup(0, "1", "a"), new LogRecord.Failed(1, "u", "m", "no")));
    assertTrue(state.module(KEY).isEmpty());
  }

  @Test
  void claimsAreDroppedOneByOne() {
    DesiredState state =
        DesiredState.fold(List.of(setup(10, "1", "a"), setup(20, "1", "b"), setup(30, "1", "a")));
    DesiredModule module = state.module(KEY).orElseThrow();
    assertEquals(10, module.since());
    assertEquals(1030, module.deadline());
    state.apply(new LogRecord.Remove(40, "u", "m", "c", null, "t", null));
    state.apply(new LogRecord.Remove(40, "u", "m", "a", null, "t", null));
    assertEquals(1020, module.deadline());
    state.apply(new LogRecord.Lapsed(50, "u", "m", "b"));
    assertTrue(state.module(KEY).isEmpty());
  }

  private static LogRecord fetch(long time, String version, String session) {
    return new LogRecord.Fetch(
        time, "u", "m", version, session, "sha" + version, time + 1000, 1000, null, "t" + time);
  }

  private static LogRecord dropped(String session) {
    return new LogRecord.Dropped(50, "u", "m", session, null, "no");
  }

  @Test
  void aFetchedBundleLivesBesideTheModuleByClaimsOfItsOwn() {
    DesiredState state =
        DesiredState.fold(
            List.of(
                setup(0, "1", "a"),
                running("1"),
                fetch(10, "2", "a"),
                fetch(20, "2", "b"),
                new LogRecord.Fetched(30, "u", "m", "sha2", 77, "by", 9000)));
    FetchedBundle bundle = state.bundle(KEY).orElseThrow();
    assertEquals("1", state.module(KEY).orElseThrow().current().version());
    assertTrue(state.module(KEY).orElseThrow().confirmed());
    assertTrue(bundle.is("2", "sha2"));
    assertEquals(77, bundle.bytes());
    assertEquals("by", bundle.trust());
    assertEquals(9000, bundle.goodUntil());
    assertEquals(10, bundle.since());
    assertEquals("t20", bundle.tlv());
    assertEquals(1020, bundle.deadline());
    assertFalse(state.runs(bundle));
    state.apply(dropped("b"));
    assertEquals(1010, state.bundle(KEY).orElseThrow().deadline());
    state.apply(setup(40, "2", "a"));
    assertTrue(state.runs(bundle));
    state.apply(dropped("a"));
    assertTrue(state.bundle(KEY).isEmpty());
    assertTrue(state.module(KEY).isPresent());
  }

  @Test
  void anotherBundleTakesThePlaceOfTheOneBefore() {
    DesiredState state =
        DesiredState.fold(
            List.of(
                fetch(10, "1", "a"),
                new LogRecord.Fetched(20, "u", "m", "sha1", 77, "by", 9000),
                fetch(30, "2", "b"),
                new LogRecord.Fetched(40, "u", "m", "sha1", 77, "by", 9000)));
    FetchedBundle bundle = state.bundle(KEY).orElseThrow();
    assertTrue(bundle.is("2", "sha2"));
    assertTrue(bundle.claim("a").isEmpty(), "it claimed the other bundle");
    assertEquals(0, bundle.bytes(), "the job of the other bundle ended too late");
    state.apply(dropped(null));
    assertTrue(state.bundles().isEmpty());
  }

  @Test
  void theStarRemovesFetchedBundlesToo() {
    DesiredState state =
        DesiredState.fold(
            List.of(fetch(10, "1", "a"), new LogRecord.Remove(20, "u", "*", "x", null, "t", null)));
    assertTrue(state.bundles().isEmpty());
  }

  @Test
  void theStarRemovesAllOfAUserOnly() {
    LogRecord other = new LogRecord.Setup(0, "v", "m", "1", "a", null, 9, 9, 0, null, "t", null);
    DesiredState state =
        DesiredState.fold(
            List.of(
                setup(0, "1", "a"),
                setup(0, "1", "b"),
                other,
                new LogRecord.Remove(1, "u", "*", "x", null, "t", null)));
    assertEquals(
        List.of(new ModuleKey("v", "m")),
        state.modules().stream().map(DesiredModule::key).toList());
  }

  private static LogRecord delegated(String session, String id, String serial, long seq) {
    return new LogRecord.Setup(
        10,
        "u",
        "m",
        "1",
        session,
        "sha1",
        9000,
        1000,
        0,
        new Freshness(seq, "n" + seq, 600, "b"),
        "t",
        new Delegate(id, serial));
  }

  private static LogRecord revoked(String item, long until) {
    Freshness fresh = new Freshness(3, "r" + item, 600, "b");
    return new LogRecord.Revoked(20, "u", List.of(item), until, fresh);
  }

  @Test
  void aRevocationDropsTheClaimsOfItsDelegatesAlone() {
    DesiredState state = new DesiredState();
    state.apply(delegated("a by one", "one", "11", 1));
    state.apply(delegated("a by two", "two", "22", 2));
    state.apply(setup(10, "1", "a"));
    state.apply(revoked("22", 9000));
    assertEquals(2, state.module(KEY).orElseThrow().claims().size());
    assertTrue(state.module(KEY).orElseThrow().claim("a by two").isEmpty());
    state.apply(revoked("key:one", 9000));
    assertEquals(1, state.module(KEY).orElseThrow().claims().size());
    state.apply(new LogRecord.Remove(30, "u", "m", "a", null, "t", null));
    assertTrue(state.module(KEY).isEmpty());
    assertTrue(state.revoked("u", "22"));
    assertTrue(state.revoked("u", "key:one"));
    assertFalse(state.revoked("v", "22"));
    assertEquals(2, state.revocationsOf("u"));
    state.forget(9001);
    assertFalse(state.revoked("u", "22"));
  }

  @Test
  void aModuleGoesWithTheLastClaimThatIsRevoked() {
    DesiredState state = new DesiredState();
    state.apply(delegated("a by one", "one", "11", 1));
    state.apply(delegated("b by one", "one", "12", 2));
    state.apply(revoked("key:one", 9000));
    assertTrue(state.module(KEY).isEmpty());
  }

  @Test
  void eachDelegateHasSequenceNumbersOfItsOwn() {
    DesiredState state = new DesiredState();
    state.apply(delegated("a by one", "one", "11", 70));
    state.apply(delegated("a by two", "two", "22", 5));
    state.apply(revoked("11", 9000));
    assertTrue(state.lastSeq(KEY).isEmpty());
    assertEquals(70, state.lastSeq(new ModuleKey("u", "m by one")).orElseThrow());
    assertEquals(5, state.lastSeq(new ModuleKey("u", "m by two")).orElseThrow());
    assertTrue(state.lastSeq(new ModuleKey("u", "*")).isEmpty());
    assertEquals(3, state.lastSeq(new ModuleKey("u", DesiredState.REVOKE)).orElseThrow());
    state.apply(new LogRecord.SeqReset(30, "u", "m"));
    assertTrue(state.lastSeq(new ModuleKey("u", "m by one")).isEmpty());
  }

  @Test
  void freshnessIsForgottenInTime() {
    DesiredState state = new DesiredState();
    state.apply(fresh(0, "m", 7, "n1", 600));
    assertTrue(state.nonce("u", "n1").isPresent());
    state.apply(fresh(600, "k", 8, "n2", 1200));
    assertTrue(state.nonce("u", "n1").isPresent());
    state.apply(fresh(601, "k", 9, "n3", 1201));
    assertTrue(state.nonce("u", "n1").isEmpty());
    state.apply(new LogRecord.Ended(602, "u", "m", "x"));
    assertEquals(7, state.lastSeq(KEY).orElseThrow(), "a replay of an old SETUP stays refused");
    state.apply(fresh(602 + 86_400_000L, "k", 10, "n4", 602 + 86_400_000L));
    assertTrue(state.lastSeq(KEY).isEmpty());
  }

  private static LogRecord fresh(long time, String module, long seq, String nonce, long until) {
    return new LogRecord.Setup(
        time,
        "u",
        module,
        "1",
        "a",
        null,
        time + 9,
        9,
        0,
        new Freshness(seq, nonce, until, "b"),
        "t",
        null);
  }
}
