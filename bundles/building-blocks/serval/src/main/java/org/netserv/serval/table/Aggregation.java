// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * Makes few prefixes of many, for routers that need not know each one. The steps:
 *
 * <pre>
 *   1. a prefix inside of an aggregate    becomes the aggregate (the shortest one)
 *   2. a prefix inside of another one     is left out
 *   3. both halves of a prefix            become the prefix, if it is still inside of `within`
 *   4. more than `most`                   the longest are left out and counted
 * </pre>
 *
 * <p>Weights add up, and stop at the greatest one. Steps 2 and 3 name no serviceID that was not
 * named before. An aggregate does, as long as one prefix inside of it is known.
 *
 * @param prefixes the result with its weights, the shortest first
 * @param left the number of prefixes that `most` has left out
 */
public record Aggregation(Map<ServicePrefix, Integer> prefixes, int left) {
  private static final Comparator<ServicePrefix> SHORTEST_FIRST =
      Comparator.comparingInt(ServicePrefix::bits).thenComparing(ServicePrefix::id);

  /**
   * The choices.
   *
   * @param within the prefixes that may be named at all
   * @param aggregates stand for all prefixes inside of them
   * @param most prefixes in the result
   */
  public record Choice(List<ServicePrefix> within, List<ServicePrefix> aggregates, int most) {
    public static final Choice NONE = new Choice(List.of(), List.of(), 0);

    private boolean names(ServicePrefix prefix) {
      return within.stream().anyMatch(each -> each.covers(prefix));
    }

    private ServicePrefix aggregate(ServicePrefix prefix) {
      return aggregates.stream()
          .filter(each -> each.covers(prefix))
          .min(SHORTEST_FIRST)
          .orElse(prefix);
    }
  }

  /**
   * Aggregates prefixes with weights. Those outside of {@code within} are passed over.
   *
   * @param known weights of at least 1
   */
  public static Aggregation of(Map<ServicePrefix, Integer> known, Choice choice) {
    Map<ServicePrefix, Integer> all = new HashMap<>();
    known.forEach(
        (prefix, weight) -> {
          if (choice.names(prefix)) {
            all.merge(choice.aggregate(prefix), weight, Aggregation::sum);
          }
        });
    fold(all);
    merge(all, choice);
    List<ServicePrefix> order = new ArrayList<>(all.keySet());
    order.sort(SHORTEST_FIRST);
    Map<ServicePrefix, Integer> kept = new LinkedHashMap<>();
    for (ServicePrefix prefix : order.subList(0, Math.min(choice.most(), order.size()))) {
      kept.put(prefix, all.get(prefix));
    }
    return new Aggregation(kept, order.size() - kept.size());
  }

  private static int sum(int one, int other) {
    return Math.min(Rule.MOST_WEIGHT, one + other);
  }

  /** Leaves out prefixes inside of others, which get their weights. */
  private static void fold(Map<ServicePrefix, Integer> all) {
    BitSet lengths = new BitSet(ServiceId.BITS + 1);
    all.keySet().forEach(prefix -> lengths.set(prefix.bits()));
    List<ServicePrefix> order = new ArrayList<>(all.keySet());
    order.sort(SHORTEST_FIRST.reversed());
    for (ServicePrefix prefix : order) {
      int bits = prefix.bits() == 0 ? -1 : lengths.previousSetBit(prefix.bits() - 1);
      while (bits >= 0) {
        ServicePrefix shorter = new ServicePrefix(prefix.id(), bits);
        if (all.containsKey(shorter)) {
          all.merge(shorter, all.remove(prefix), Aggregation::sum);
          break;
        }
        bits = bits == 0 ? -1 : lengths.previousSetBit(bits - 1);
      }
    }
  }

  /** Puts a prefix in the place of its two halves, from the longest prefixes on. */
  private static void merge(Map<ServicePrefix, Integer> all, Choice choice) {
    Map<Integer, List<ServicePrefix>> byLength = new HashMap<>();
    for (ServicePrefix prefix : all.keySet()) {
      byLength.computeIfAbsent(prefix.bits(), bits -> new ArrayList<>()).add(prefix);
    }
    for (int bits = ServiceId.BITS; bits > 0; bits--) {
      for (ServicePrefix half : byLength.getOrDefault(bits, List.of())) {
        ServicePrefix whole = new ServicePrefix(half.id(), bits - 1);
        ServicePrefix other = new ServicePrefix(other(half), bits);
        if (half.id().equals(whole.id()) && all.containsKey(other) && choice.names(whole)) {
          all.put(whole, sum(all.remove(half), all.remove(other)));
          byLength.computeIfAbsent(bits - 1, length -> new ArrayList<>()).add(whole);
        }
      }
    }
  }

  /** Returns the serviceID with the last bit of the prefix set. */
  private static ServiceId other(ServicePrefix half) {
    int last = half.bits() - 1;
    long bit = 1L << (63 - last % 64);
    ServiceId id = half.id();
    return switch (last / 64) {
      case 0 -> new ServiceId(id.first() | bit, id.second(), id.third(), id.fourth());
      case 1 -> new ServiceId(id.first(), id.second() | bit, id.third(), id.fourth());
      case 2 -> new ServiceId(id.first(), id.second(), id.third() | bit, id.fourth());
      default -> new ServiceId(id.first(), id.second(), id.third(), id.fourth() | bit);
    };
  }
}
