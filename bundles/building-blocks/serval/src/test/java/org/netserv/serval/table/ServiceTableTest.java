// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.table.Rules.ID;
import static org.netserv.serval.table.Rules.forward;
import static org.netserv.serval.table.Rules.host;
import static org.netserv.serval.table.Rules.prefix;
import static org.netserv.serval.table.Rules.ranked;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

class ServiceTableTest {
  private static final ServicePrefix EXACT = ServicePrefix.of(ID);
  private static final Origin DNS = new Origin(Origin.Kind.DNS, "example.org");

  private final ServiceTable table = Rules.table(new TableLimits(100, 100, 100));
  private final Random random = new Random(5);

  private void add(Rule... rules) {
    for (Rule rule : rules) {
      assertEquals(TableRefusal.OK, table.add(rule, 0));
    }
  }

  private List<Rule> all() {
    return table.all(ID, Scope.ALL, 0).rules();
  }

  @Test
  void theLongestPrefixWins() {
    Rule any = forward(ServicePrefix.DEFAULT, 1, 0);
    Rule provider = forward(prefix("00004001", 32), 2, 0);
    Rule exact = forward(EXACT, 3, 0);
    add(any, provider, exact);
    assertEquals(List.of(exact), all());
    assertTrue(table.withdraw(exact));
    assertEquals(List.of(provider), all());
    assertTrue(table.withdraw(provider));
    assertEquals(List.of(any), all());
    assertTrue(table.withdraw(any));
    assertFalse(table.withdraw(any));
    assertTrue(table.draw(ID, Scope.ALL, 0, random).isEmpty());
  }

  /** An operator sees the rules that match, by rank, or the first of all. */
  @Test
  void rulesInTheOrderOfAnOperator() {
    Rule any = forward(ServicePrefix.DEFAULT, 1, 0);
    Rule wide = forward(prefix("00004001", 32), 2, 0);
    Rule lower = forward(EXACT, 3, 0);
    Rule higher = ranked(forward(EXACT, 4, 0), 1, 0);
    Rule other = forward(prefix("00005000", 32), 5, 0);
    assertEquals(List.of(), table.matching(ID));
    assertEquals(List.of(), table.first(9));
    add(other, lower, any, higher, wide);
    assertEquals(List.of(higher, lower, wide, any), table.matching(ID));
    assertEquals(List.of(any, wide, higher, lower, other), table.first(9));
    assertEquals(List.of(any, wide, higher), table.first(3));
    assertEquals(List.of(), table.first(0));
    assertTrue(table.withdraw(any));
    assertEquals(List.of(other), table.matching(ServiceId.parse("00005000")));
  }

  @Test
  void theNextRankTakesOverWhenTheHighestIsEmpty() {
    Rule first = ranked(forward(EXACT, 1, 0), 1, 0);
    Rule second = ranked(forward(EXACT, 2, 0), 0, 9);
    Rule third = ranked(forward(EXACT, 3, 0), 0, 8);
    add(third, first, second);
    for (Rule rule : List.of(first, second, third)) {
      assertEquals(List.of(rule), all());
      table.withdraw(rule);
    }
    assertEquals(List.of(), all());
  }

  /** 60,000 draws of weights 1, 2 and 7; 0 counts as 1. */
  @Test
  void drawsFollowTheWeights() {
    Rule one = forward(EXACT, 1, 0);
    Rule two = forward(EXACT, 2, 2);
    Rule seven = forward(EXACT, 3, 7);
    add(one, two, seven);
    for (int i = 0; i < 60_000; i++) {
      table.draw(ID, Scope.ALL, 0, random);
    }
    near(6_000, table.packets(one), 300);
    near(12_000, table.packets(two), 400);
    near(42_000, table.packets(seven), 500);
  }

  private static void near(long expected, long found, long distance) {
    assertTrue(Math.abs(found - expected) <= distance, expected + " is " + found);
  }

  @Test
  void aDropIsAloneAndSoIsADelay() {
    Rule delay = Rules.of(EXACT, RuleAction.DELAY);
    Rule drop = Rules.of(EXACT, RuleAction.DROP);
    add(forward(EXACT, 1, 0), delay);
    assertEquals(List.of(delay), all());
    add(drop);
    assertEquals(List.of(drop), all());
  }

  @Test
  void aHostThatDoesNotForwardHasDemuxAlone() {
    Rule socket = Rules.socket(prefix("00004001", 32), 7);
    add(forward(EXACT, 1, 0), socket);
    assertEquals(List.of(socket), table.all(ID, Scope.LOCAL, 0).rules());
    table.withdraw(socket);
    assertTrue(table.all(ID, Scope.LOCAL, 0).isEmpty());
  }

  /** Both feeders give host 1. It counts once, with the greater weight. */
  @Test
  void aTargetOfTwoOriginsCountsOnce() {
    Rule greater = Rules.from(forward(EXACT, 1, 5), DNS, Rule.FOREVER);
    add(forward(EXACT, 1, 2), greater, forward(EXACT, 2, 1));
    assertEquals(List.of(greater, forward(EXACT, 2, 1)), all());
    assertEquals(1, table.withdraw(DNS));
    assertEquals(List.of(forward(EXACT, 1, 2), forward(EXACT, 2, 1)), all());
  }

  @Test
  void aRuleEndsWithItsLifetime() {
    Rule rule = Rules.from(forward(EXACT, 1, 0), DNS, 50);
    add(rule);
    assertEquals(50, table.nextEnd());
    assertEquals(1, table.all(ID, Scope.ALL, 49).rules().size());
    assertTrue(table.all(ID, Scope.ALL, 50).isEmpty());
    assertEquals(TableRefusal.OK, table.add(Rules.from(rule, DNS, 90), 40)); // refreshed
    assertEquals(0, table.expire(50));
    assertEquals(1, table.expire(90));
    assertEquals(0, table.size());
    assertEquals(Rule.FOREVER, table.nextEnd());
    assertEquals(TableRefusal.ENDED, table.add(Rules.from(rule, DNS, 90), 90));
  }

  @Test
  void aRefreshKeepsTheCounter() {
    Rule rule = forward(EXACT, 1, 0);
    add(rule);
    table.draw(ID, Scope.ALL, 0, random);
    add(forward(EXACT, 1, 3));
    assertEquals(1, table.packets(rule));
    assertEquals(1, table.size());
  }

  @Test
  void refusalsByName() {
    Endpoint own = Endpoint.ofIpv4(Rules.OWN, 999);
    Rule good = forward(EXACT, 1, 0);
    assertEquals(TableRefusal.ONTO_ITSELF, table.add(Rules.to(good, Target.address(own)), 0));
    Endpoint broadcast = Endpoint.ofIpv4(-1, 0);
    assertEquals(TableRefusal.FOR_MANY, table.add(Rules.to(good, Target.address(broadcast)), 0));
    assertEquals(TableRefusal.TARGET, table.add(Rules.to(good, Target.NONE), 0));
    assertEquals(TableRefusal.TARGET, table.add(Rules.to(good, Target.socket(3)), 0));
    Rule drop = Rules.of(EXACT, RuleAction.DROP);
    assertEquals(TableRefusal.TARGET, table.add(Rules.to(drop, host(1)), 0));
    assertEquals(TableRefusal.TARGET, table.add(Rules.to(Rules.socket(EXACT, 1), host(1)), 0));
    assertEquals(TableRefusal.WEIGHT, table.add(forward(EXACT, 1, -1), 0));
    assertEquals(TableRefusal.WEIGHT, table.add(forward(EXACT, 1, 65536), 0));
    assertEquals(0, table.size());
    assertEquals(1, table.refusals().of(TableRefusal.ONTO_ITSELF));
    assertEquals(4, table.refusals().of(TableRefusal.TARGET));
  }

  @Test
  void everyLimitByItsName() {
    ServiceTable small = Rules.table(new TableLimits(5, 3, 2));
    assertEquals(TableRefusal.OK, small.add(forward(EXACT, 1, 0), 0));
    assertEquals(TableRefusal.OK, small.add(forward(EXACT, 2, 0), 0));
    assertEquals(TableRefusal.PREFIX_FULL, small.add(forward(EXACT, 3, 0), 0));
    assertEquals(TableRefusal.OK, small.add(forward(EXACT, 2, 9), 0)); // it is there already
    assertEquals(TableRefusal.OK, small.add(forward(prefix("01", 8), 1, 0), 0));
    assertEquals(TableRefusal.ORIGIN_FULL, small.add(forward(prefix("02", 8), 1, 0), 0));
    Rule dns = Rules.from(forward(prefix("02", 8), 1, 0), DNS, 10);
    assertEquals(TableRefusal.OK, small.add(dns, 0));
    assertEquals(
        TableRefusal.OK, small.add(Rules.from(forward(prefix("03", 8), 1, 0), DNS, 10), 0));
    Rule other = Rules.from(forward(prefix("04", 8), 1, 0), DNS, 99);
    assertEquals(TableRefusal.TABLE_FULL, small.add(other, 0));
    assertEquals(TableRefusal.OK, small.add(other, 10)); // two have ended
    assertEquals(4, small.size());
  }

  @Test
  void numbersOfTheActions() {
    for (RuleAction action : RuleAction.values()) {
      assertEquals(action, RuleAction.of(action.number()));
    }
    assertNull(RuleAction.of(0));
    assertNull(RuleAction.of(5));
  }
}
