// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverloadTest {
  private final AtomicLong heap = new AtomicLong();
  private final AtomicLong links = new AtomicLong();
  private final Overload overload = new Overload();
  private long now;

  OverloadTest() {
    overload.gauge("heap", heap::get, () -> 200, EnumSet.allOf(Work.class));
    overload.gauge("connections", links::get, () -> 10, Set.of(Work.CONNECTION));
  }

  private void at(long used, long time) {
    heap.set(used);
    now = time;
    overload.tick(now);
  }

  @ParameterizedTest
  @CsvSource({
    "0, NORMAL, ''",
    "149, NORMAL, ''",
    "150, STRAINED, OVER_SHARE UNKNOWN UNSIGNED",
    "179, STRAINED, OVER_SHARE UNKNOWN UNSIGNED",
    "180, SATURATED, OVER_SHARE UNKNOWN UNSIGNED STRANGER CONNECTION",
    "199, SATURATED, OVER_SHARE UNKNOWN UNSIGNED STRANGER CONNECTION",
    "200, EXHAUSTED, OVER_SHARE UNKNOWN UNSIGNED STRANGER CONNECTION PUBLISHER",
    "999, EXHAUSTED, OVER_SHARE UNKNOWN UNSIGNED STRANGER CONNECTION PUBLISHER"
  })
  void refusesTheCheapestFirst(long used, LoadState state, String refused) {
    at(used, 0);
    assertEquals(state, overload.state());
    for (Work work : Work.values()) {
      boolean named = List.of(refused.split(" ")).contains(work.name());
      assertEquals(named, overload.refuses(work), work.name());
      assertEquals(named, overload.refusal(work).isPresent(), work.name());
    }
  }

  @Test
  void risesAtOnceAndFallsStepByStep() {
    at(200, 0);
    assertEquals(LoadState.EXHAUSTED, overload.state());
    at(0, 1);
    at(0, Overload.CALM);
    assertEquals(LoadState.EXHAUSTED, overload.state(), "not calm for long enough");
    at(0, 1 + Overload.CALM);
    assertEquals(LoadState.SATURATED, overload.state());
    at(0, 1 + 2 * Overload.CALM);
    assertEquals(LoadState.STRAINED, overload.state());
    at(0, 1 + 3 * Overload.CALM);
    assertEquals(LoadState.NORMAL, overload.state());
    at(0, 1 + 4 * Overload.CALM);
    assertEquals(LoadState.NORMAL, overload.state());
  }

  @Test
  void doesNotFlapBetweenTheMarks() {
    at(150, 0);
    for (int i = 1; i <= 20; i++) {
      at(i % 2 == 0 ? 149 : 131, i * Overload.CALM);
      assertEquals(LoadState.STRAINED, overload.state());
    }
    at(129, 21 * Overload.CALM);
    at(131, 22 * Overload.CALM - 1);
    at(129, 22 * Overload.CALM);
    assertEquals(LoadState.STRAINED, overload.state(), "it was above the lower mark in between");
    at(129, 23 * Overload.CALM);
    assertEquals(LoadState.NORMAL, overload.state());
  }

  @Test
  void aFullTableRefusesNothingElse() {
    links.set(10);
    overload.tick(0);
    assertTrue(overload.refuses(Work.CONNECTION));
    assertFalse(overload.refuses(Work.STRANGER));
    assertEquals(LoadState.EXHAUSTED, overload.state());
    assertEquals(
        "overload: connections 10 of 10: exhausted",
        overload.refusal(Work.CONNECTION).orElseThrow());
  }

  @Test
  void showsEverything() {
    at(150, 0);
    overload.refusal(Work.UNSIGNED);
    overload.refusal(Work.UNSIGNED);
    overload.refusal(Work.PUBLISHER);
    Overload.Snapshot shown = overload.snapshot();
    assertEquals(LoadState.STRAINED, shown.state());
    assertEquals(Map.of(Work.UNSIGNED, 2L), shown.refused());
    assertEquals(
        new Overload.Reading(
            "heap",
            150,
            200,
            LoadState.STRAINED,
            List.of(Work.OVER_SHARE, Work.UNKNOWN, Work.UNSIGNED)),
        shown.gauges().get(0));
    assertEquals("connections", shown.gauges().get(1).name());
  }

  @Test
  void aNameIsTakenOnce() {
    assertThrows(
        IllegalArgumentException.class,
        () -> overload.gauge("heap", () -> 1, () -> 1, Set.of(Work.UNKNOWN)));
  }

  @Test
  void collectsWhenTheFigureIsHighAndOld() {
    AtomicLong live = new AtomicLong();
    AtomicLong collections = new AtomicLong();
    HeapUse use =
        new HeapUse(
            new HeapUse.Heap() {
              @Override
              public long live() {
                return live.get();
              }

              @Override
              public long max() {
                return 256 << 20;
              }

              @Override
              public long collections() {
                return collections.get();
              }

              @Override
              public void collect() {
                collections.incrementAndGet();
              }
            });
    use.refresh(HeapUse.STALE);
    assertEquals(0, collections.get(), "a low figure may be old");
    live.set(200 << 20);
    assertEquals(200, use.used());
    assertEquals(256, use.limit());
    collections.set(1);
    use.refresh(10_000);
    use.refresh(10_000 + HeapUse.STALE - 1);
    assertEquals(1, collections.get(), "the figure is new");
    use.refresh(10_000 + HeapUse.STALE);
    assertEquals(2, collections.get());
    use.refresh(10_000 + HeapUse.STALE + 1);
    assertEquals(2, collections.get(), "at most one each time");
  }

  @Test
  void readsThisProcess() {
    HeapUse use = new HeapUse();
    System.gc();
    assertTrue(use.used() > 0 && use.used() <= use.limit(), use.used() + " of " + use.limit());
  }
}
