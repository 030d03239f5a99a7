// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.table.Aggregation;
import org.netserv.servicerouter.Datagrams;
import org.netserv.servicerouter.Domain;
import org.netserv.servicerouter.core.Outcome;

/** Look-ups behind a DELAY in virtual time, by a resolver that answers when the test says so. */
class LookupsTest {
  private static final Endpoint CLIENT = Domain.at(100);
  private static final Endpoint HOST = Domain.at(50);
  private static final ServiceId SHOP = Datagrams.SHOP;

  private final Domain domain = new Domain(1);
  private final Deque<Consumer<Resolver.Answer>> asked = new ArrayDeque<>();
  private final List<ServiceId> ids = new ArrayList<>();
  private Domain.Node router;

  @BeforeEach
  void begin() {
    router =
        domain.router(
            Domain.at(1),
            "rules",
            "0000/15=delay",
            "held-per-sender",
            "1000",
            "held-per-service",
            "1000",
            "held-seconds",
            "5");
    Resolver resolver =
        (id, done) -> {
          ids.add(id);
          asked.add(done);
        };
    router.router.feed(
        List.of(
            new Lookups(
                List.of(Datagrams.prefix("0000")),
                3,
                "test",
                resolver,
                router.router,
                () -> domain.now,
                router.tally)),
        Aggregation.Choice.NONE);
  }

  private void syn(ServiceId id) {
    domain.send(Datagrams.syn(id, 7), CLIENT, router.own);
    domain.run(10);
  }

  private static Resolver.Found found(Endpoint host, int bits, long seconds) {
    return new Resolver.Found(host, bits, 0, 1, seconds);
  }

  private void answer(Resolver.Answer answer) {
    asked.remove().accept(answer);
    domain.run(10);
  }

  private int arrived() {
    int arrived = domain.arrivals.size();
    domain.arrivals.clear();
    return arrived;
  }

  @Test
  void packetsWaitForTheAnswerAndTheRuleLivesForItsTime() {
    syn(SHOP);
    syn(SHOP);
    assertEquals(List.of(SHOP), ids);
    assertEquals(0, arrived());
    answer(Resolver.Answer.of(List.of(found(HOST, 256, 10))));
    assertEquals(2, arrived());
    syn(SHOP);
    assertEquals(1, arrived());
    domain.run(10_000);
    syn(SHOP);
    assertEquals(2, ids.size());
    assertEquals(0, arrived());
  }

  /** A record of a prefix serves others, but no rule is shorter than the prefix of look-ups. */
  @Test
  void aPrefixIsLookedUpOnce() {
    syn(SHOP);
    answer(Resolver.Answer.of(List.of(found(HOST, 0, 10))));
    syn(ServiceId.parse("0000ffff"));
    assertEquals(2, arrived());
    assertEquals(1, ids.size());
    assertNull(domain.resolve(router, ServiceId.parse("0001"), CLIENT));
    assertEquals(1, router.router.waiting()); // not for this feeder
    assertEquals(1, ids.size());
  }

  @Test
  void anUnknownServiceIsKnownAsSuch() {
    syn(SHOP);
    answer(Resolver.Answer.none(30));
    assertEquals(1, router.count(Outcome.LOOKUP_NONE));
    syn(SHOP);
    assertEquals(2, router.count(Outcome.LOOKUP_NONE));
    assertEquals(1, ids.size());
    assertEquals(0, router.router.waiting());
    domain.run(30_000);
    syn(SHOP);
    assertEquals(2, ids.size());
  }

  /** A target that the table refuses is none: the router itself, and a group. */
  @Test
  void aTargetThatTheTableRefuses() {
    syn(SHOP);
    Endpoint group = Endpoint.ofIpv4(0xe0000001, 1);
    answer(Resolver.Answer.of(List.of(found(router.own, 256, 10), found(group, 256, 10))));
    assertEquals(1, router.count(Outcome.RULE_ONTO_ITSELF));
    assertEquals(1, router.count(Outcome.RULE_FOR_MANY));
    assertEquals(1, router.count(Outcome.LOOKUP_NONE));
  }

  @Test
  void aFailureLeavesThePacketToItsTimeAndTheNextOneAsksAgain() {
    syn(SHOP);
    answer(Resolver.Answer.FAILED);
    assertEquals(1, router.router.waiting());
    syn(SHOP);
    assertEquals(2, ids.size());
    domain.run(6_000);
    assertEquals(2, router.count(Outcome.HOLD_LATE));
    answer(Resolver.Answer.of(List.of(found(HOST, 256, 10)))); // late, but good for the next
    syn(SHOP);
    assertEquals(1, arrived());
  }

  /** A flood of serviceIDs makes few look-ups, and those of honest clients go on. */
  @Test
  void lookupsAreBounded() {
    for (int i = 0; i < 500; i++) {
      syn(ServiceId.parse(String.format("0000%04x", i)));
    }
    assertEquals(3, ids.size());
    assertEquals(497, router.count(Outcome.LOOKUP_FULL));
    while (!asked.isEmpty()) {
      answer(Resolver.Answer.none(1));
    }
    for (int i = 0; i < 10_000; i++) { // more than are known as unknown
      syn(ServiceId.parse(String.format("0000%06x", 0x800000 + i)));
      answer(Resolver.Answer.none(60));
    }
    assertEquals(10_003, router.count(Outcome.LOOKUP_NONE));
    syn(SHOP);
    answer(Resolver.Answer.of(List.of(found(HOST, 256, 10))));
    assertEquals(1, arrived());
  }
}
