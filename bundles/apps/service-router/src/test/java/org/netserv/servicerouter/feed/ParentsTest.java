// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Rule;
import org.netserv.servicerouter.Datagrams;
import org.netserv.servicerouter.Domain;
import org.netserv.servicerouter.core.Outcome;

/** Routers that register at their parents, in virtual time. */
class ParentsTest {
  private static final Endpoint ROOT = Domain.at(1);
  private static final Endpoint LEFT = Domain.at(2);
  private static final Endpoint RIGHT = Domain.at(3);
  private static final Endpoint CLIENT = Domain.at(100);
  private static final Endpoint HOST = Domain.at(50);
  private static final ServiceId SHOP = Datagrams.SHOP;
  private static final int SEEDS = 100;

  private Domain domain = new Domain(1);

  private Domain.Node root(String... more) {
    return domain.router(ROOT, with(more, "registrations", "0000", "routers", both()));
  }

  private static String both() {
    return Domain.text(LEFT) + " " + Domain.text(RIGHT);
  }

  private Domain.Node child(Endpoint at, String... more) {
    return domain.router(at, with(more, "registrations", "0000", "parents", Domain.text(ROOT)));
  }

  private static String[] with(String[] some, String... more) {
    String[] all = new String[some.length + more.length];
    System.arraycopy(some, 0, all, 0, some.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  private void register(Endpoint host, Domain.Node router, ServiceId... ids) {
    for (ServiceId id : ids) {
      domain.send(Datagrams.registration(false, ServicePrefix.of(id)), host, router.own);
    }
  }

  private void withdraw(Endpoint host, Domain.Node router, ServiceId id) {
    domain.send(Datagrams.registration(true, ServicePrefix.of(id)), host, router.own);
  }

  private static List<ServicePrefix> prefixes(Domain.Node router) {
    return router.registered().stream()
        .map(Rule::prefix)
        .sorted(java.util.Comparator.comparing(ServicePrefix::id))
        .toList();
  }

  /** Client at one child, instance at the other: up, and down again. */
  @Test
  void aServiceOfOneChildIsFoundByTheOther() {
    Domain.Node root = root();
    Domain.Node left = child(LEFT);
    Domain.Node right = child(RIGHT);
    register(HOST, left, SHOP);
    domain.run(300);
    assertEquals(List.of(ServicePrefix.of(SHOP)), prefixes(root));
    assertEquals(HOST, domain.resolve(right, SHOP, CLIENT));
    assertEquals(List.of(CLIENT, RIGHT, ROOT, LEFT), domain.arrivals.get(0).hops());
    withdraw(HOST, left, SHOP);
    domain.run(300);
    assertEquals(List.of(), prefixes(root));
    assertNull(domain.resolve(right, SHOP, CLIENT));
    assertEquals(1, root.count(Outcome.FORWARD_NO_RULE));
  }

  /** A hole of an aggregate goes up and comes back, and is cut. */
  @Test
  void anAggregateIsOneRuleAndItsHolesAreNoLoop() {
    Domain.Node root = root();
    Domain.Node left = child(LEFT, "aggregates", "00004/20");
    ServiceId other = ServiceId.parse("00004002");
    register(HOST, left, SHOP, other, ServiceId.parse("00007"));
    domain.run(300);
    assertEquals(
        List.of(Datagrams.prefix("00004"), ServicePrefix.of(ServiceId.parse("00007"))),
        prefixes(root));
    assertEquals(HOST, domain.resolve(root, other, CLIENT));
    assertNull(domain.resolve(root, ServiceId.parse("00004003"), CLIENT));
    assertEquals(1, left.count(Outcome.FORWARD_LOOP));
    withdraw(HOST, left, SHOP);
    domain.run(300);
    assertEquals(2, prefixes(root).size());
    withdraw(HOST, left, other);
    domain.run(300);
    assertEquals(1, prefixes(root).size());
  }

  /** 200 serviceIDs that are neighbours are one prefix, and 64 strangers at most are named. */
  @Test
  void whatIsAnnouncedIsBounded() {
    Domain.Node root = root("rules-per-host", "1000");
    Domain.Node left = child(LEFT, "rules-per-host", "1000", "announce-most", "10");
    for (int i = 0; i < 200; i++) {
      register(HOST, left, ServiceId.parse(String.format("0000%04x", i * 3)));
    }
    domain.run(1000);
    assertEquals(10, root.registered().size());
    assertTrue(left.count(Outcome.ANNOUNCE_LEFT) >= 190);
  }

  @Test
  void aRuleThatLeadsToTheParentIsNotAnnouncedThere() {
    Domain.Node root = root();
    child(LEFT, "rules", "00004001=" + Domain.text(ROOT) + " 00004002=" + Domain.text(HOST));
    domain.run(300);
    assertEquals(List.of(Datagrams.prefix("00004002")), prefixes(root));
  }

  /**
   * A router that ends withdraws, one that is killed is forgotten, one with new properties stays.
   */
  @Test
  void theEndOfARouter() {
    Domain.Node root = root();
    Domain.Node left = child(LEFT);
    register(HOST, left, SHOP);
    domain.run(300);
    left.router.end(false, domain.now);
    domain.run(100);
    assertEquals(1, prefixes(root).size());
    left.router.end(true, domain.now);
    domain.run(100);
    assertEquals(0, prefixes(root).size());
    Domain.Node right = child(RIGHT);
    register(HOST, right, SHOP);
    domain.run(300);
    domain.kill(right);
    domain.run(51_000);
    assertEquals(0, prefixes(root).size());
  }

  @Test
  void aParentThatTakesSignedRegistrations() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    String open = Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
    String secret = Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded());
    Domain.Node root =
        domain.router(
            ROOT,
            "signed-registrations",
            "0000",
            "owners",
            "0000=ed25519:" + open,
            "routers",
            both());
    Domain.Node left = child(LEFT, "parent-key", "ed25519:" + secret + ":" + open);
    register(HOST, left, SHOP);
    domain.run(300);
    assertEquals(List.of(ServicePrefix.of(SHOP)), prefixes(root));
    assertEquals(1, root.registered().get(0).weight());
    register(Domain.at(51), left, SHOP);
    domain.run(400);
    assertEquals(2, root.registered().get(0).weight());
    domain.run(40_000); // refreshed by its MAC
    register(HOST, left, SHOP);
    domain.run(40_000);
    assertEquals(1, root.registered().size());
    assertTrue(root.count(Outcome.SIGNED_OK) >= 4);
    assertEquals(
        root.count(Outcome.SIGNED_OK) + root.count(Outcome.SIGNED_CHALLENGED),
        left.count(Outcome.PARENT_ANSWER));
    withdraw(HOST, left, SHOP);
    domain.run(300);
    assertEquals(List.of(), prefixes(root));
  }

  /** Loss of 30 %, duplication and reordering: known within 8 s, gone within a lifetime. */
  @Test
  void amidLoss() {
    for (int seed = 0; seed < SEEDS; seed++) {
      domain = new Domain(seed);
      domain.lost = 0.3;
      domain.doubled = 0.2;
      domain.jitter = 50;
      Domain.Node root = root();
      Domain.Node left = child(LEFT);
      for (int i = 0; i < 20; i++) {
        register(HOST, left, SHOP);
      }
      domain.run(8_000);
      assertEquals(1, prefixes(root).size(), "seed " + seed);
      for (int i = 0; i < 20; i++) {
        withdraw(HOST, left, SHOP);
      }
      domain.run(52_000);
      assertEquals(0, prefixes(root).size(), "seed " + seed);
    }
  }
}
