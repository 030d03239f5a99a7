// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/** The table beside a list of rules that is searched from end to end, over random changes. */
class TableModelTest {
  private static final int RULES = 60;
  private static final int PER_ORIGIN = 40;
  private static final int PER_PREFIX = 6;

  /** The rules as a list, with the limits of the table. */
  private static final class Naive {
    private final List<Rule> rules = new ArrayList<>();

    boolean add(Rule rule, long now) {
      boolean replaced = rules.removeIf(other -> other.key().equals(rule.key()));
      if (!replaced) {
        expire(now);
        long siblings = rules.stream().filter(o -> o.origin().equals(rule.origin())).count();
        long same = rules.stream().filter(o -> o.prefix().equals(rule.prefix())).count();
        if (rules.size() >= RULES || siblings >= PER_ORIGIN || same >= PER_PREFIX) {
          return false;
        }
      }
      rules.add(rule);
      return true;
    }

    void expire(long now) {
      rules.removeIf(rule -> rule.until() <= now);
    }

    /** Returns targets and weights of the rules that count, in words. */
    Set<String> counting(ServiceId id, Scope scope, long now) {
      List<Rule> eligible =
          rules.stream()
              .filter(rule -> rule.until() > now && rule.prefix().matches(id))
              .filter(rule -> scope == Scope.ALL || rule.action() == RuleAction.DEMUX)
              .toList();
      int bits = eligible.stream().mapToInt(rule -> rule.prefix().bits()).max().orElse(-1);
      List<Rule> longest = eligible.stream().filter(r -> r.prefix().bits() == bits).toList();
      Rank best = longest.stream().map(Rule::rank).min(Comparator.naturalOrder()).orElse(null);
      List<Rule> ranked = longest.stream().filter(rule -> rule.rank().equals(best)).toList();
      for (RuleAction alone : List.of(RuleAction.DROP, RuleAction.DELAY)) {
        if (ranked.stream().anyMatch(rule -> rule.action() == alone)) {
          return Set.of(alone.name());
        }
      }
      Set<String> words = new HashSet<>();
      for (Rule rule : ranked) {
        int most =
            ranked.stream()
                .filter(o -> o.action() == rule.action() && o.target().equals(rule.target()))
                .mapToInt(o -> Math.max(1, o.weight()))
                .max()
                .orElseThrow();
        words.add(rule.action() + " " + rule.target() + " " + most);
      }
      return words;
    }
  }

  private final Random random = new Random(17);
  private final List<ServiceId> ids = new ArrayList<>();

  private Rule rule(long now) {
    RuleAction action = RuleAction.of(Math.max(1, random.nextInt(9) - 4));
    Target target =
        switch (action) {
          case FORWARD -> Target.address(Endpoint.ofIpv4(random.nextInt(4), 0));
          case DEMUX -> Target.socket(1 + random.nextInt(3));
          case DELAY, DROP -> Target.NONE;
        };
    int[] lengths = {0, 1, 8, 32, 63, 64, 65, 128, 192, 200, 255, 256};
    ServiceId id = ids.get(random.nextInt(ids.size()));
    return new Rule(
        new ServicePrefix(id, lengths[random.nextInt(lengths.length)]),
        action,
        target,
        new Rank(random.nextInt(2), random.nextInt(2)),
        random.nextInt(4),
        new Origin(Origin.Kind.DNS, "" + random.nextInt(3)),
        random.nextInt(10) == 0 ? Rule.FOREVER : now + 1 + random.nextInt(200));
  }

  private static Set<String> words(Resolution resolution) {
    Set<String> words = new HashSet<>();
    for (Rule rule : resolution.rules()) {
      boolean alone = rule.target().equals(Target.NONE);
      String name = rule.action().name();
      words.add(alone ? name : name + " " + rule.target() + " " + Math.max(1, rule.weight()));
    }
    return words;
  }

  @Test
  void theTableIsTheList() {
    for (int i = 0; i < 6; i++) {
      ServiceId id = new ServiceId(random.nextLong(), random.nextLong(), 0, random.nextInt(2));
      ids.add(id);
      ids.add(new ServiceId(id.first(), id.second() ^ 1, id.third(), id.fourth()));
      ids.add(new ServiceId(id.first(), id.second(), id.third() ^ 1, id.fourth() ^ 1));
    }
    ServiceTable table = Rules.table(new TableLimits(RULES, PER_ORIGIN, PER_PREFIX));
    Naive naive = new Naive();
    int found = 0;
    int refused = 0;
    long now = 0;
    for (int step = 0; step < 60_000; step++) {
      now += random.nextInt(4);
      int choice = random.nextInt(20);
      if (choice < 9) {
        Rule rule = rule(now);
        boolean taken = naive.add(rule, now);
        assertEquals(taken, table.add(rule, now) == TableRefusal.OK, "step " + step);
        refused += taken ? 0 : 1;
      } else if (choice < 10) {
        Rule rule = rule(now);
        boolean there = naive.rules.removeIf(other -> other.key().equals(rule.key()));
        assertEquals(there, table.withdraw(rule));
      } else if (choice == 10 && random.nextInt(20) == 0) {
        Origin origin = new Origin(Origin.Kind.DNS, "" + random.nextInt(3));
        int before = naive.rules.size();
        naive.rules.removeIf(rule -> rule.origin().equals(origin));
        assertEquals(before - naive.rules.size(), table.withdraw(origin));
      } else if (choice == 11) {
        int before = naive.rules.size();
        naive.expire(now);
        assertEquals(before - naive.rules.size(), table.expire(now));
      } else {
        ServiceId id = ids.get(random.nextInt(ids.size()));
        Scope scope = random.nextInt(3) == 0 ? Scope.LOCAL : Scope.ALL;
        Set<String> expected = naive.counting(id, scope, now);
        assertEquals(expected, words(table.all(id, scope, now)), "step " + step);
        Resolution drawn = table.draw(id, scope, now, random);
        assertEquals(expected.isEmpty(), drawn.isEmpty());
        assertTrue(expected.containsAll(words(drawn)));
        found += drawn.isEmpty() ? 0 : 1;
      }
      assertEquals(naive.rules.size(), table.size(), "step " + step);
    }
    assertTrue(found > 10_000, "only " + found + " were found");
    assertTrue(refused > 1_000, "only " + refused + " were refused");
  }
}
