// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The containers of the core against plain ones of the JDK, and buckets. */
class TablesTest {
  private final Random random = new Random(11);

  private Allocation allocation(int number) {
    Client client =
        new Client(Transport.UDP, number % 3, number % 50, number % 700, 1 + number % 2, null);
    return new Allocation(
        client,
        new Account("x"),
        new Login(new byte[0], null, null, Login.NO_TOKEN),
        false,
        false,
        0,
        Stage.limits(1, 1),
        0);
  }

  @Test
  void theTableFindsWhatIsThereAndNothingElse() {
    AllocationTable table = new AllocationTable(random.nextLong());
    Map<String, Allocation> right = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      Allocation some = allocation(random.nextInt(5000));
      Client client = some.client();
      String key = client.high() + " " + client.low() + " " + client.port() + client.serverPort();
      Allocation there = right.get(key);
      assertSame(
          there, table.find(client.high(), client.low(), client.port(), client.serverPort()));
      if (there == null) {
        right.put(key, some);
        table.add(some);
      } else if (random.nextBoolean()) {
        right.remove(key);
        table.remove(there);
      }
      assertEquals(right.size(), table.count());
    }
  }

  /** A thing with a time. */
  private static final class Thing implements Expiry.Due {
    private long due;
    private int place = Expiry.NOWHERE;

    @Override
    public long due() {
      return due;
    }

    @Override
    public int place() {
      return place;
    }

    @Override
    public void place(int at) {
      place = at;
    }
  }

  @Test
  void theHeapGivesThingsInTheOrderOfTheirTimesAlsoWhereTheClockTurnsOver() {
    for (long zero : new long[] {0, Long.MAX_VALUE - 500}) {
      Expiry<Thing> expiry = new Expiry<>();
      Set<Thing> in = new HashSet<>();
      List<Thing> things = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        things.add(new Thing());
      }
      for (int i = 0; i < 20_000; i++) {
        Thing thing = things.get(random.nextInt(things.size()));
        if (random.nextInt(3) == 0) {
          expiry.remove(thing);
          in.remove(thing);
        } else {
          thing.due = zero + random.nextInt(1000);
          expiry.update(thing);
          in.add(thing);
        }
      }
      assertEquals(in.size(), expiry.count());
      long last = zero;
      for (long now = zero; now - zero <= 1000; now++) {
        for (Thing due = expiry.poll(now); due != null; due = expiry.poll(now)) {
          assertTrue(in.remove(due));
          assertTrue(due.due - last >= 0 && due.due - now <= 0);
          last = due.due;
        }
      }
      assertEquals(Set.of(), in);
      assertEquals(Long.MAX_VALUE, expiry.nanosLeft(0));
    }
  }

  @Test
  void eachPortIsGivenOnceAndNoneIsLikelier() {
    int[] firsts = new int[16];
    for (int i = 0; i < 16_000; i++) {
      PortPool pool = new PortPool(100, 115, random);
      firsts[pool.take() - 100]++;
    }
    for (int count : firsts) {
      assertTrue(count > 800 && count < 1200, () -> "of 1000: " + count);
    }
    PortPool pool = new PortPool(101, 1100, random);
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      boolean pair = random.nextBoolean();
      int port = random.nextBoolean() ? pool.takeEven(pair) : pool.take();
      if (port >= 0) {
        assertFalse(taken.contains(port));
        taken.add(port);
      }
      while (!taken.isEmpty() && (port < 0 || random.nextInt(3) == 0)) {
        pool.give(taken.remove(random.nextInt(taken.size())));
      }
    }
    for (int port = 101; port <= 1100; port++) {
      pool.give(port);
    }
    assertEquals(1000, pool.free());
  }

  @Test
  void pairsAreEvenAndWhole() {
    PortPool pool = new PortPool(101, 110, random); // 102-103 ... 108-109
    Set<Integer> even = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      assertTrue(even.add(pool.takeEven(true)));
    }
    assertEquals(Set.of(102, 104, 106, 108), even);
    assertEquals(-1, pool.takeEven(true));
    assertEquals(110, pool.takeEven(false));
    assertEquals(101, pool.take());
    assertEquals(-1, pool.take());
    pool.give(103);
    assertEquals(-1, pool.takeEven(true));
    pool.give(102);
    pool.give(102);
    assertEquals(2, pool.free());
    assertEquals(102, pool.takeEven(true));
  }

  @Test
  void aBucketGivesItsRateAndNoMore() {
    Bucket bucket = new Bucket(1000, 100, 0);
    long got = 0;
    for (long now = 0; now < 10 * Stage.SECOND; now += Stage.SECOND / 2000) {
      while (bucket.take(1, now)) {
        got++;
      }
    }
    assertTrue(got >= 10_090 && got <= 10_100, "got " + got);
    assertFalse(bucket.take(101, 100 * Stage.SECOND));
    assertTrue(bucket.take(100, 100 * Stage.SECOND));
    assertTrue(new Bucket(0, 0, 0).take(1 << 30, 0));
  }

  @Test
  void aUserWithoutAllocationsIsForgottenFirst() {
    Accounts accounts = new Accounts(3);
    Account ann = accounts.of("ann");
    ann.begun();
    Account bob = accounts.of("bob");
    accounts.of("eve");
    accounts.of("joe");
    assertSame(ann, accounts.of("ann"));
    assertFalse(accounts.list().contains(bob));
    assertEquals(3, accounts.list().size());
  }

  @Test
  void sourcesOfOnePlaceShareItUnlessItIsIdle() {
    SourceLimits limits = new SourceLimits(10, 20, 5);
    int answered = 0;
    for (int i = 0; i < 1_000_000; i++) {
      if (limits.take(0, Ip.v4(i), 1)) {
        answered++;
      }
    }
    assertTrue(answered <= 4096 * 20, "a flood of sources has a bounded answer: " + answered);
    assertTrue(limits.take(0, Ip.v4(7), 10 * Stage.SECOND));
  }
}
