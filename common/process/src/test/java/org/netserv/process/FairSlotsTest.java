// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FairSlotsTest {
  private final FairSlots<Integer> slots = new FairSlots<>(64);
  private final List<Integer> gaveWay = new ArrayList<>();
  private int last;

  private boolean take(String network, String host) {
    return slots.take(++last, List.of(network, host), gaveWay::add);
  }

  private int held(String... path) {
    return slots.held(List.of(path));
  }

  @Test
  void oneMayUseWhatNobodyElseWants() {
    for (int i = 0; i < 64; i++) {
      assertTrue(take("net", "greedy"));
    }
    assertFalse(take("net", "greedy"));
    assertEquals(64, slots.used());
    assertEquals(List.of(), gaveWay);
  }

  @Test
  void theGreediestGivesWayOldestFirst() {
    for (int i = 0; i < 64; i++) {
      take("net", "greedy");
    }
    assertTrue(take("net", "neighbour"));
    assertTrue(take("other", "honest"));
    assertEquals(List.of(1, 2), gaveWay);
    assertEquals(62, held("net", "greedy"));
    assertEquals(64, slots.used());
  }

  @Test
  void underStrainOnlySharesAreGiven() {
    for (int i = 0; i < 48; i++) {
      take("a", "a");
    }
    take("b", "b");
    assertFalse(take("a", "a"), "it has more than half, and there are two");
    assertTrue(take("b", "b"));
    assertEquals(List.of(), gaveWay);
  }

  @Test
  void manyHostsOfOneNetworkHaveItsShareTogether() {
    for (int i = 0; i < 640; i++) {
      take("crowd", "host " + i % 32);
    }
    for (int i = 0; i < 64; i++) {
      take("lone", "host");
    }
    assertEquals(32, held("lone", "host"));
    assertEquals(32, held("crowd"));
    for (int i = 0; i < 32; i++) {
      assertEquals(1, held("crowd", "host " + i));
    }
  }

  @Test
  void eachOfManyKeepsOne() {
    for (int i = 0; i < 10_000; i++) {
      take("flood", "host " + i % 40);
    }
    for (int i = 0; i < 20; i++) {
      assertTrue(take("net " + i, "honest"), "network " + i);
    }
    for (int i = 0; i < 10_000; i++) {
      take("flood", "host " + i % 40);
    }
    for (int i = 0; i < 20; i++) {
      assertEquals(1, held("net " + i, "honest"));
    }
    assertEquals(64, slots.used());
  }

  @Test
  void moreKeysThanSlotsAreRefusedAndNotKept() {
    for (int i = 0; i < 10_000; i++) {
      take("net " + i, "host");
    }
    assertEquals(64, slots.used());
    assertFalse(take("one more", "host"));
    assertEquals(0, held("one more"));
  }

  @Test
  void aSlotIsGivenBackOnce() {
    take("net", "host");
    assertTrue(slots.holds(1));
    slots.release(1);
    slots.release(1);
    assertFalse(slots.holds(1));
    assertEquals(0, slots.used());
    assertEquals(0, held("net"));
    assertTrue(slots.take(1, List.of("net", "host"), gaveWay::add));
    assertFalse(slots.take(1, List.of("net", "host"), gaveWay::add), "it has one");
    assertEquals(1, slots.used());
  }

  @Test
  void countsStayRightAndSharesFair() {
    Random random = new Random(12);
    Map<Integer, List<String>> model = new HashMap<>();
    for (int step = 0; step < 50_000; step++) {
      if (random.nextInt(3) > 0) {
        int network = random.nextInt(1 + random.nextInt(6));
        List<String> path = List.of("net " + network, "host " + random.nextInt(4));
        int id = ++last;
        boolean admitted = slots.admits(path);
        assertEquals(admitted, slots.take(id, path, model::remove));
        if (admitted) {
          model.put(id, path);
        } else {
          int most = model.size() / (int) Math.max(1, model.values().stream().distinct().count());
          assertTrue(slots.used() >= 48 && slots.held(path) + 1 >= Math.min(most, 2), "unfair");
        }
      } else if (!model.isEmpty()) {
        int id = model.keySet().iterator().next();
        model.remove(id);
        slots.release(id);
      }
      assertEquals(model.size(), slots.used());
      assertTrue(slots.used() <= 64);
    }
    Map<List<String>, Long> counts = new HashMap<>();
    model.values().forEach(path -> counts.merge(path, 1L, Long::sum));
    counts.forEach((path, count) -> assertEquals(count.intValue(), slots.held(path)));
  }
}
