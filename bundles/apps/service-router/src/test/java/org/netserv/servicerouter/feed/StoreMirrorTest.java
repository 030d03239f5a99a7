// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Domain;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.feed.StoreMirror.Entry;

/** The mirror of a store in virtual time. The value of an entry is the last byte of its target. */
class StoreMirrorTest {
  private static final Endpoint CLIENT = Domain.at(100);
  private static final long LIFE = 9_000;
  private static final int MOST = 20;

  private final Domain domain = new Domain(1);
  private final Domain.Node router = domain.router(Domain.at(1));
  private final StoreMirror mirror =
      new StoreMirror(StoreMirrorTest::rule, "self", MOST, LIFE, router.router, router.tally);

  private static Rule rule(Entry entry) {
    ServiceId id = ServiceId.parse(entry.key().substring(0, entry.key().indexOf('/')));
    if (id == null) {
      throw new IllegalArgumentException("no digits");
    }
    return new Rule(
        ServicePrefix.of(id),
        RuleAction.FORWARD,
        Target.address(Domain.at(Integer.parseInt(entry.value()))),
        Rank.ZERO,
        1,
        new Origin(Origin.Kind.OPERATOR, "test"),
        Rule.FOREVER);
  }

  private Endpoint target(String digits) {
    return domain.resolve(router, ServiceId.parse(digits), CLIENT);
  }

  @Test
  void changesOfAnEntry() {
    mirror.snapshot(List.of(new Entry("40/a", "50"), new Entry("41/self", "50")), domain.now);
    assertEquals(Domain.at(50), target("40"));
    assertNull(target("41"));
    mirror.put(new Entry("40/a", "51"), domain.now);
    assertEquals(Domain.at(51), target("40"));
    mirror.put(new Entry("40/b", "51"), domain.now); // two routers, one target
    mirror.remove("40/a");
    assertEquals(Domain.at(51), target("40"));
    mirror.snapshot(List.of(), domain.now);
    assertNull(target("40"));
    mirror.remove("40/b");
    assertEquals(0, mirror.size());
  }

  @Test
  void silenceEndsTheRulesAndLifeKeepsThem() {
    mirror.snapshot(List.of(new Entry("40/a", "50")), domain.now);
    for (int i = 0; i < 20; i++) {
      domain.run(LIFE / 3);
      mirror.alive(domain.now);
    }
    assertEquals(Domain.at(50), target("40"));
    domain.run(LIFE + 200);
    assertNull(target("40"));
    mirror.alive(domain.now);
    assertEquals(Domain.at(50), target("40"));
  }

  @Test
  void brokenEntriesAndTooManyAreCounted() {
    mirror.put(new Entry("4x/a", "50"), domain.now);
    mirror.put(new Entry("40/a", "x"), domain.now);
    mirror.put(new Entry("40/a", "50"), domain.now);
    mirror.put(new Entry("40/a", "x"), domain.now); // what was there is gone
    assertEquals(3, router.count(Outcome.STORE_REFUSED));
    assertNull(target("40"));
    for (int i = 0; i < 2 * MOST; i++) {
      mirror.put(new Entry(String.format("%02x/a", i), "50"), domain.now);
    }
    assertEquals(MOST, mirror.size());
    assertEquals(3 + MOST, router.count(Outcome.STORE_REFUSED));
    mirror.put(new Entry("00/a", "51"), domain.now);
    assertEquals(Domain.at(51), target("00"));
  }

  /** Changes in any order beside a map, with snapshots between. */
  @Test
  void asAMap() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Map<String, String> model = new HashMap<>();
      mirror.snapshot(List.of(), domain.now);
      for (int i = 0; i < 60; i++) {
        String key = String.format("%02x/a", random.nextInt(8));
        int kind = random.nextInt(8);
        if (kind == 0) {
          List<Entry> all = new ArrayList<>();
          model.forEach((name, value) -> all.add(new Entry(name, value)));
          mirror.snapshot(all, domain.now);
        } else if (kind < 4) {
          model.remove(key);
          mirror.remove(key);
        } else {
          String value = Integer.toString(50 + random.nextInt(4));
          model.put(key, value);
          mirror.put(new Entry(key, value), domain.now);
        }
      }
      for (int i = 0; i < 8; i++) {
        String value = model.get(String.format("%02x/a", i));
        Endpoint expected = value == null ? null : Domain.at(Integer.parseInt(value));
        assertEquals(expected, target(String.format("%02x", i)), "seed " + seed);
      }
      mirror.alive(domain.now);
    }
  }
}
