// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

class AggregationTest {
  private static final Aggregation.Choice ALL =
      new Aggregation.Choice(List.of(ServicePrefix.DEFAULT), List.of(), 1000);

  private static ServicePrefix prefix(String digits, int bits) {
    return new ServicePrefix(ServiceId.parse(digits), bits);
  }

  private static Map<ServicePrefix, Integer> of(
      Map<ServicePrefix, Integer> known, Aggregation.Choice choice) {
    return Aggregation.of(known, choice).prefixes();
  }

  @Test
  void bothHalvesAreTheWhole() {
    Map<ServicePrefix, Integer> quarters =
        Map.of(
            prefix("00", 10),
            1,
            prefix("0040", 10),
            2,
            prefix("0080", 10),
            3,
            prefix("00c0", 10),
            4);
    assertEquals(Map.of(prefix("00", 8), 10), of(quarters, ALL));
    Map<ServicePrefix, Integer> three = new HashMap<>(quarters);
    three.remove(prefix("0040", 10));
    assertEquals(Map.of(prefix("00", 10), 1, prefix("0080", 9), 7), of(three, ALL));
    assertEquals(Map.of(prefix("00", 8), 10), of(of(quarters, ALL), ALL));
  }

  @Test
  void aWholeOutsideOfTheBoundsIsNotNamed() {
    ServicePrefix within = prefix("40", 8);
    Aggregation.Choice choice = new Aggregation.Choice(List.of(within), List.of(), 10);
    Map<ServicePrefix, Integer> known =
        Map.of(prefix("40", 9), 1, prefix("4080", 9), 1, prefix("41", 8), 1, prefix("4", 4), 1);
    assertEquals(Map.of(within, 2), of(known, choice));
  }

  @Test
  void anAggregateStandsForAllInsideAndEndsWithTheLast() {
    ServicePrefix shops = prefix("4000", 16);
    Aggregation.Choice choice =
        new Aggregation.Choice(
            List.of(ServicePrefix.DEFAULT), List.of(prefix("400000", 24), shops), 10);
    ServicePrefix one = ServicePrefix.of(ServiceId.parse("40000001"));
    ServicePrefix two = ServicePrefix.of(ServiceId.parse("4000ff"));
    assertEquals(Map.of(shops, 65_535), of(Map.of(one, 1, two, 65_535), choice));
    assertEquals(Map.of(shops, 1), of(Map.of(one, 1), choice));
    assertEquals(Map.of(), of(Map.of(), choice));
  }

  @Test
  void theLongestAreLeftOutAndCounted() {
    Map<ServicePrefix, Integer> known = new HashMap<>();
    for (int i = 0; i < 8; i++) {
      known.put(prefix("0" + i + "8", 12 + 4 * i), 1);
    }
    Aggregation few =
        Aggregation.of(known, new Aggregation.Choice(List.of(ServicePrefix.DEFAULT), List.of(), 3));
    assertEquals(5, few.left());
    assertEquals(
        List.of(12, 16, 20), few.prefixes().keySet().stream().map(ServicePrefix::bits).toList());
  }

  /** All of 256 bits, at both ends of each word. */
  @Test
  void theLastBitOfEachLength() {
    for (int bits : new int[] {1, 63, 64, 65, 128, 129, 192, 193, 255, 256}) {
      Random random = new Random(bits);
      ServiceId id = id(random);
      ServicePrefix whole = new ServicePrefix(id, bits - 1);
      Map<ServicePrefix, Integer> halves = new HashMap<>();
      while (halves.size() < 2) {
        ServiceId any = id(random);
        ServiceId inside = id.masked(bits - 1);
        ServiceId tail = behind(any, bits - 1);
        halves.put(
            new ServicePrefix(
                new ServiceId(
                    inside.first() | tail.first(),
                    inside.second() | tail.second(),
                    inside.third() | tail.third(),
                    inside.fourth() | tail.fourth()),
                bits),
            1);
      }
      assertEquals(Map.of(whole, 2), of(halves, ALL));
    }
  }

  private static ServiceId id(Random random) {
    return new ServiceId(
        random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
  }

  private static ServiceId behind(ServiceId id, int bits) {
    ServiceId head = id.masked(bits);
    return new ServiceId(
        id.first() ^ head.first(),
        id.second() ^ head.second(),
        id.third() ^ head.third(),
        id.fourth() ^ head.fourth());
  }

  /** Without aggregates each serviceID is named afterwards if and only if it was before. */
  @Test
  void nothingIsNamedThatWasNot() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Map<ServicePrefix, Integer> known = new HashMap<>();
      for (int i = 0; i < 40; i++) {
        known.put(prefix(String.format("%02x", random.nextInt(256)), 1 + random.nextInt(8)), 1);
      }
      Map<ServicePrefix, Integer> result = of(known, ALL);
      for (int i = 0; i < 256; i++) {
        ServiceId id = ServiceId.parse(String.format("%02x7", i));
        boolean before = known.keySet().stream().anyMatch(each -> each.matches(id));
        long after = result.keySet().stream().filter(each -> each.matches(id)).count();
        assertEquals(before ? 1 : 0, after, "seed " + seed + " " + id);
      }
      assertTrue(result.size() <= known.size());
    }
  }
}
