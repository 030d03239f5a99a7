// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.registration.Curve25519;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.registration.SigningKey;

/** A controller between a made-up sald and two routers, in virtual time. */
class HostControllerTest {
  private static final ServicePrefix SHOP = Texts.prefix("00004001");
  private static final ServicePrefix BANK = Texts.prefix("00004002");
  private static final ServicePrefix OTHERS = Texts.prefix("00005001");
  private static final int LIFETIME = 50;
  private static final long STEP = 100;
  private static final int TYPE_ASK = 2;

  /** A router that takes signed registrations of one owner. */
  private final class TestRouter implements RegistrationDesk.Rules {
    final Endpoint address;
    final Map<String, Integer> rules = new TreeMap<>();
    final List<Integer> types = new ArrayList<>();
    RegistrationDesk desk;
    boolean dead;

    TestRouter(String address) {
      this.address = Texts.endpoint(address, 54_325);
      begin();
    }

    void begin() {
      rules.clear();
      desk =
          new RegistrationDesk(
              new RegistrationDesk.Settings(
                  List.of(ServicePrefix.DEFAULT),
                  Map.of(Texts.prefix("00004"), owner.getPublic()),
                  100,
                  1000,
                  LIFETIME),
              this,
              new Random(1),
              Curve25519.ofJdk());
    }

    private String name(ServicePrefix prefix, Endpoint target) {
      return Texts.shortened(prefix) + " " + Texts.print(target);
    }

    @Override
    public boolean put(ServicePrefix prefix, Endpoint target, int weight, String by, long until) {
      rules.put(name(prefix, target), weight);
      return true;
    }

    @Override
    public void remove(ServicePrefix prefix, Endpoint target, String by) {
      rules.remove(name(prefix, target));
    }

    ByteBuffer take(ByteBuffer message) {
      types.add((int) message.get(0));
      return desk.take(message, 0, message.limit(), own, now, 1_800_000_000L);
    }
  }

  /** An answer under way. */
  private record Answer(TestRouter from, ServicePrefix service, ByteBuffer bytes) {}

  private final KeyPair owner = pair();
  private final TestRouter one = new TestRouter("192.0.2.1");
  private final TestRouter two = new TestRouter("[2001:db8::2]");
  private final List<Answer> answers = new ArrayList<>();
  private final List<String> log = new ArrayList<>();
  private final Map<ServicePrefix, Boolean> health = new HashMap<>();
  private final List<String> checked = new ArrayList<>();
  private Endpoint own = Texts.endpoint("192.0.2.10:54325", 1);
  private long now = 1_000_000;
  private HostController controller;

  private static KeyPair pair() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void begin() {
    SigningKey key = new SigningKey(owner);
    controller =
        new HostController(
            List.of(
                new Router(Router.PUBLISHED, one.address, key),
                new Router(Router.PUBLISHED, two.address, key)),
            offer -> {
              if (!health.containsKey(offer.prefix())) {
                return null;
              }
              checked.add(offer.target());
              return () -> health.get(offer.prefix());
            },
            new Random(5),
            this::tell,
            log::add);
    controller.route(one.address, own, now);
    controller.route(two.address, own, now);
  }

  private void tell(ServicePrefix service, Router router, ByteBuffer message) {
    TestRouter to = router.address().equals(one.address) ? one : two;
    if (!to.dead) {
      answers.add(new Answer(to, service, to.take(message)));
    }
  }

  private void later(long millis) {
    for (long end = now + millis; now < end; now += STEP) {
      controller.due(now);
      hear();
      assertTrue(controller.dueAt() > now, "what was due is done");
    }
  }

  private void hear() {
    while (!answers.isEmpty()) {
      Answer answer = answers.remove(0);
      controller.heard(answer.from().address, answer.service().id(), answer.bytes(), now);
    }
  }

  private void offers(Offer... offers) {
    Map<ServicePrefix, Offer> all = new LinkedHashMap<>();
    for (Offer offer : offers) {
      all.put(offer.prefix(), offer);
    }
    controller.offers(all, now);
    hear();
  }

  private static Offer offer(ServicePrefix prefix, int weight) {
    return new Offer(prefix, weight, "[::]:80");
  }

  private void rules(Map<String, Integer> expected) {
    assertEquals(expected, one.rules);
    assertEquals(expected, two.rules);
  }

  @Test
  void aServiceIsSignedAtEachRouterAndRefreshed() {
    offers(offer(SHOP, 3));
    rules(Map.of("00004001/32 192.0.2.10:54325", 3));
    assertEquals(List.of(2, 4), one.types, "ASK and REGISTER");
    later(3 * LIFETIME * 1000);
    assertEquals(2 + 7, one.types.size(), "a refresh each two fifths of the lifetime");
    assertTrue(one.types.subList(2, 9).stream().allMatch(type -> type == 6), one.types.toString());
    offers();
    rules(Map.of());
    later(60_000);
    assertEquals(Long.MAX_VALUE, controller.dueAt());
    assertEquals(
        List.of(
            "00004001/32 at 192.0.2.1:54325: registered, weight 3",
            "00004001/32 at [2001:db8:0:0:0:0:0:2]:54325: registered, weight 3",
            "00004001/32: withdrawn, it has ended or is drained"),
        log);
  }

  @Test
  void servicesComeAndGoAndHaveOtherWeights() {
    offers(offer(SHOP, 1), offer(BANK, 2));
    offers(offer(BANK, 9));
    rules(Map.of("00004002/32 192.0.2.10:54325", 9));
    offers(offer(SHOP, 4), offer(BANK, 9)); // before the last repetition of the withdrawal
    later(60_000);
    rules(Map.of("00004001/32 192.0.2.10:54325", 4, "00004002/32 192.0.2.10:54325", 9));
    int before = one.types.size();
    offers(offer(SHOP, 4), offer(BANK, 9));
    assertEquals(before, one.types.size(), "nothing has changed");
    controller.close(now);
    rules(Map.of());
  }

  @Test
  void anotherAddressTowardOneRouterIsRegisteredThereAnew() {
    offers(offer(SHOP, 1));
    int before = two.types.size();
    own = Texts.endpoint("192.0.2.77:54325", 1);
    controller.route(one.address, own, now);
    hear();
    assertTrue(one.rules.containsKey("00004001/32 192.0.2.77:54325"));
    assertEquals(before, two.types.size());
    controller.route(one.address, own, now); // again, by the next connection to sald
    assertEquals(4, one.types.size());
  }

  @Test
  void aRouterThatForgetsIsToldAnew() {
    offers(offer(SHOP, 1));
    one.begin();
    later(21_000);
    rules(Map.of("00004001/32 192.0.2.10:54325", 1));
  }

  @Test
  void oneDeadRouterDisturbsNoOther() {
    one.dead = true;
    offers(offer(SHOP, 1));
    later(100_000);
    assertEquals(Map.of(), one.rules);
    assertEquals(1, two.rules.size());
    one.dead = false;
    later(21_000);
    rules(Map.of("00004001/32 192.0.2.10:54325", 1));
  }

  @Test
  void aSickServiceIsWithdrawnAndComesBack() {
    health.put(SHOP, true);
    offers(offer(SHOP, 1), offer(BANK, 1));
    later(10_000);
    assertEquals(2, one.rules.size());
    health.put(SHOP, false);
    later(2 * HostController.CHECK_MILLIS);
    assertEquals(2, one.rules.size(), "two failures change nothing");
    later(HostController.CHECK_MILLIS);
    rules(Map.of("00004002/32 192.0.2.10:54325", 1));
    offers(offer(SHOP, 7), offer(BANK, 1));
    later(30_000);
    rules(Map.of("00004002/32 192.0.2.10:54325", 1));
    health.put(SHOP, true);
    later(HostController.CHECK_MILLIS - STEP);
    assertEquals(1, one.rules.size(), "one success changes nothing");
    later(2 * HostController.CHECK_MILLIS);
    rules(Map.of("00004001/32 192.0.2.10:54325", 7, "00004002/32 192.0.2.10:54325", 1));
    assertEquals(List.of("[::]:80"), checked);
    assertTrue(log.contains("00004001/32: withdrawn, its check has failed 3 times"));
  }

  @Test
  void aRefusalIsToldOnceByName() {
    offers(offer(OTHERS, 1));
    later(100_000);
    rules(Map.of());
    assertEquals(2, log.stream().filter(line -> line.contains("refused: NOT_OWNER, ")).count());
    assertEquals(2, log.size());
  }

  @Test
  void anAnswerThatNobodyExpectsChangesNothing() {
    offers(offer(SHOP, 1));
    int before = one.types.size();
    byte[] answer = new byte[56];
    answer[0] = 5;
    answer[3] = 56;
    Endpoint stranger = Texts.endpoint("192.0.2.99:54325", 1);
    for (Endpoint from : List.of(one.address, stranger)) {
      assertFalse(controller.heard(from, SHOP.id(), ByteBuffer.wrap(answer), now));
      assertFalse(controller.heard(from, BANK.id(), ByteBuffer.wrap(answer), now));
    }
    assertEquals(before, one.types.size());
    assertEquals(TYPE_ASK, one.types.get(0));
  }
}
