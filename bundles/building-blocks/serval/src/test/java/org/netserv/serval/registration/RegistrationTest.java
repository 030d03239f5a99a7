// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.XECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.RegistrationHost.State;

/** Signed registrations of both sides, in virtual time. */
class RegistrationTest {
  private static final Endpoint HOST = Endpoint.ofIpv4(0xc6336407, 6000);
  private static final Endpoint OTHER = Endpoint.ofIpv4(0xc6336408, 6000);
  private static final ServicePrefix OWNED = new ServicePrefix(ServiceId.parse("0000500"), 28);
  private static final ServicePrefix PART = new ServicePrefix(ServiceId.parse("00005001"), 32);
  private static final int LIFETIME = 50;
  private static final long SECONDS = 1_800_000_000L;

  private static KeyPair pair(KeyType type) {
    try {
      KeyPairGenerator generator =
          KeyPairGenerator.getInstance(type == KeyType.P256 ? "EC" : "Ed25519");
      if (type == KeyType.P256) {
        generator.initialize(new ECGenParameterSpec("secp256r1"));
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The rules that a router has, by prefix, target and owner. */
  private static final class Rules implements RegistrationDesk.Rules {
    final Map<String, Long> all = new TreeMap<>();
    boolean full;

    private static String name(ServicePrefix prefix, Endpoint target, String owner) {
      return prefix.bits() + " " + (target.ipv4() & 0xff) + " " + owner.length();
    }

    @Override
    public boolean put(
        ServicePrefix prefix, Endpoint target, int weight, String owner, long until) {
      if (!full) {
        all.put(name(prefix, target, owner), until);
      }
      return !full;
    }

    @Override
    public void remove(ServicePrefix prefix, Endpoint target, String owner) {
      all.remove(name(prefix, target, owner));
    }
  }

  /** The JDK's arithmetic, and the number of signatures that it has verified. */
  private static final class CountedCurve implements Curve25519 {
    private final Curve25519 jdk = Curve25519.ofJdk();
    private int verified;

    @Override
    public boolean verify(byte[] key, byte[] text, byte[] signature) {
      verified++;
      return jdk.verify(key, text, signature);
    }

    @Override
    public byte[] agree(XECPrivateKey own, byte[] peer) {
      return jdk.agree(own, peer);
    }
  }

  private final KeyPair owner = pair(KeyType.ED25519);
  private final Rules rules = new Rules();
  private final CountedCurve curve = new CountedCurve();
  private final Random nonces = new Random(7);
  private RegistrationDesk desk;
  private long now = 1_000_000;
  private long seconds = SECONDS;

  @BeforeEach
  void open() {
    desk = desk(100, 1000);
  }

  private RegistrationDesk desk(int most, int perSecond) {
    return new RegistrationDesk(
        new RegistrationDesk.Settings(
            List.of(ServicePrefix.DEFAULT),
            Map.of(OWNED, owner.getPublic()),
            most,
            perSecond,
            LIFETIME),
        rules,
        new Random(1),
        curve);
  }

  private static SigningKey key(KeyType type) {
    return new SigningKey(pair(type));
  }

  private static ServicePrefix own(SigningKey key) {
    return ServicePrefix.of(key.id(new byte[] {0, 0, 64, 1, 0, 0, 0, 0, 0, 0, 0, 9}));
  }

  private RegistrationHost host(ServicePrefix prefix, SigningKey key) {
    return new RegistrationHost(prefix, key, 3, 3600, nonces);
  }

  private ByteBuffer ask(ByteBuffer message, Endpoint from) {
    assertTrue(RegistrationDesk.isFor(message, 0, message.limit()));
    ByteBuffer answer = desk.take(message, 0, message.limit(), from, now, seconds);
    assertTrue(answer.limit() <= message.limit(), "an answer is no longer than its question");
    return answer;
  }

  private boolean exchange(RegistrationHost host, Endpoint from) {
    ByteBuffer answer = ask(host.next(), from);
    return host.take(answer, 0, answer.limit());
  }

  private RegistrationHost registered(SigningKey key) {
    RegistrationHost host = host(own(key), key);
    isRegistered(host);
    return host;
  }

  private void isRegistered(RegistrationHost host) {
    assertTrue(exchange(host, HOST));
    assertTrue(exchange(host, HOST));
    assertEquals(State.REGISTERED, host.state());
  }

  private static byte[] bytes(ByteBuffer message) {
    return Messages.bytes(message, 0, message.capacity());
  }

  private void isRefused(RegistrationRefusal refusal, RegistrationHost host) {
    exchange(host, HOST);
    exchange(host, HOST);
    assertEquals(refusal, desk.outcome());
    assertEquals(refusal, host.refusal());
    assertEquals(State.ASKING, host.state());
    assertEquals(Map.of(), rules.all);
    assertEquals(0, desk.size());
  }

  @ParameterizedTest
  @EnumSource(KeyType.class)
  void theKeyOfAServiceIdRegistersItAndRefreshes(KeyType type) {
    SigningKey key = key(type);
    RegistrationHost host = registered(key);
    assertEquals(LIFETIME, host.granted());
    assertEquals(Map.of("256 7 32", now + 1000L * LIFETIME), rules.all);
    assertEquals(own(key), desk.changed());
    for (int i = 0; i < 5; i++) {
      now += 20_000;
      assertTrue(exchange(host, HOST));
      assertEquals(now + 1000L * LIFETIME, rules.all.get("256 7 32"));
      assertEquals(0, host.unanswered());
    }
    ByteBuffer answer = ask(host.withdrawal(), HOST);
    assertTrue(host.take(answer, 0, answer.limit()));
    assertEquals(Map.of(), rules.all);
    assertEquals(0, desk.size());
  }

  @Test
  void aRegistrationEndsByItsLifetime() {
    RegistrationHost host = registered(key(KeyType.ED25519));
    now += 1000L * LIFETIME;
    assertTrue(exchange(host, HOST));
    assertEquals(RegistrationRefusal.UNKNOWN, host.refusal());
    assertEquals(State.ASKING, host.state());
    assertEquals(0, desk.size());
  }

  @Test
  void anothersIdIsRefused() {
    SigningKey key = key(KeyType.ED25519);
    isRefused(RegistrationRefusal.NOT_OWNER, host(own(key(KeyType.ED25519)), key));
    isRefused(RegistrationRefusal.NOT_OWNER, host(new ServicePrefix(own(key).id(), 255), key));
    isRefused(RegistrationRefusal.NOT_OWNER, host(PART, key));
    isRefused(RegistrationRefusal.NOT_OWNER, host(ServicePrefix.DEFAULT, new SigningKey(owner)));
  }

  @Test
  void theOwnerOfAPrefixRegistersAllWithinIt() {
    RegistrationHost host = host(PART, new SigningKey(owner));
    isRegistered(host);
    assertEquals(1, rules.all.size());
  }

  @ParameterizedTest
  @EnumSource(KeyType.class)
  void aDelegateRegistersUntilItsDelegationEnds(KeyType type) {
    KeyPair holder = pair(type);
    Delegation delegation = Delegation.sign(owner, holder.getPublic(), PART, SECONDS + 10);
    RegistrationHost host = host(PART, new SigningKey(holder, delegation));
    isRegistered(host);
    assertEquals(1, rules.all.size());
    rules.all.clear();
    desk = desk(100, 1000);
    isRefused(RegistrationRefusal.DELEGATION, host(OWNED, new SigningKey(holder, delegation)));
    KeyPair thief = pair(type);
    isRefused(RegistrationRefusal.DELEGATION, host(PART, new SigningKey(thief, delegation)));
    Delegation own = Delegation.sign(thief, holder.getPublic(), PART, SECONDS + 10);
    isRefused(RegistrationRefusal.NOT_OWNER, host(PART, new SigningKey(holder, own)));
    seconds = SECONDS + 10;
    isRefused(RegistrationRefusal.DELEGATION_ENDED, host(PART, new SigningKey(holder, delegation)));
  }

  @Test
  void noRefreshOutlivesADelegation() {
    KeyPair holder = pair(KeyType.ED25519);
    Delegation delegation = Delegation.sign(owner, holder.getPublic(), PART, SECONDS + 60);
    RegistrationHost host = host(PART, new SigningKey(holder, delegation));
    isRegistered(host);
    assertEquals(LIFETIME, host.granted());
    long end = now + 60_000;
    for (int i = 1; i <= 2; i++) {
      now += 20_000;
      seconds += 20;
      assertTrue(exchange(host, HOST));
      assertEquals(60 - 20 * i, host.granted());
      assertEquals(List.of(end), List.copyOf(rules.all.values()));
    }
    seconds += 20; // the router's two clocks do not go alike
    assertTrue(exchange(host, HOST));
    assertEquals(RegistrationRefusal.DELEGATION_ENDED, host.refusal());
    assertEquals(List.of(end), List.copyOf(rules.all.values()));
  }

  /** A step of the wall clock: a lifetime is that of the other clock, which takes no part in it. */
  @Test
  void aStepOfTheWallClockEndsNoRegistration() {
    RegistrationHost host = registered(key(KeyType.ED25519));
    KeyPair holder = pair(KeyType.ED25519);
    Delegation delegation = Delegation.sign(owner, holder.getPublic(), PART, SECONDS + 3600);
    RegistrationHost delegate = host(PART, new SigningKey(holder, delegation));
    isRegistered(delegate);
    for (long step : List.of(SECONDS - 3000, SECONDS + 3000, 1L, SECONDS)) {
      seconds = step;
      now += 20_000;
      for (RegistrationHost each : List.of(host, delegate)) {
        assertTrue(exchange(each, HOST));
        assertEquals(0, each.unanswered());
        assertEquals(LIFETIME, each.granted());
      }
      assertEquals(2, rules.all.size());
      rules.all.values().forEach(end -> assertEquals(now + 1000L * LIFETIME, end));
    }
    seconds = SECONDS + 3600; // beyond the delegation
    now += 20_000;
    assertTrue(exchange(delegate, HOST));
    assertEquals(RegistrationRefusal.DELEGATION_ENDED, delegate.refusal());
    assertTrue(exchange(host, HOST));
    assertEquals(LIFETIME, host.granted());
    assertEquals(2, rules.all.size(), "its rule ends by its lifetime");
    seconds = SECONDS; // back
    isRegistered(delegate);
  }

  @Test
  void theKeyOfAServiceIdMayDelegateIt() {
    SigningKey key = key(KeyType.P256);
    KeyPair holder = pair(KeyType.ED25519);
    Delegation delegation = Delegation.sign(key.pair(), holder.getPublic(), own(key), SECONDS + 10);
    RegistrationHost host = host(own(key), new SigningKey(holder, delegation));
    isRegistered(host);
    assertEquals(1, rules.all.size());
  }

  @Test
  void aChallengeHoldsForOneAddressAndTwoMinutes() {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    exchange(host, OTHER);
    ByteBuffer register = host.next();
    ask(register, HOST);
    assertEquals(RegistrationRefusal.LATE, desk.outcome());
    now += 120_000;
    ask(register, OTHER);
    assertEquals(RegistrationRefusal.LATE, desk.outcome());
    assertEquals(0, desk.size());
  }

  @Test
  void aLostAnswerIsGivenAgainAndAReplayIsNot() {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    exchange(host, HOST);
    ByteBuffer register = host.next();
    ByteBuffer lost = ask(register, HOST);
    assertEquals(lost, ask(register, HOST));
    assertEquals(1, desk.size());
    assertTrue(host.take(lost, 0, lost.limit()));
    assertFalse(host.take(lost, 0, lost.limit()));
    assertTrue(exchange(host, HOST));
    ask(register, HOST);
    assertEquals(RegistrationRefusal.REPLAYED, desk.outcome());
    ask(host.withdrawal(), HOST);
    ask(register, HOST);
    assertEquals(RegistrationRefusal.REPLAYED, desk.outcome());
    assertEquals(Map.of(), rules.all);
  }

  @Test
  void refreshesCountUpFromOneAddress() {
    RegistrationHost host = registered(key(KeyType.ED25519));
    ByteBuffer first = host.next();
    ByteBuffer second = host.next();
    ask(second, HOST);
    ask(first, HOST);
    assertEquals(RegistrationRefusal.REPLAYED, desk.outcome());
    ask(second, HOST);
    assertEquals(RegistrationRefusal.REPLAYED, desk.outcome());
    ask(host.next(), OTHER);
    assertEquals(RegistrationRefusal.MOVED, desk.outcome());
    ByteBuffer forged = host.next();
    forged.put(Messages.ANSWER_LIFETIME + 3, (byte) 0);
    ask(forged, HOST);
    assertEquals(RegistrationRefusal.MAC, desk.outcome());
    assertEquals(1, desk.size());
    assertNull(desk.changed());
  }

  @Test
  void everyByteOfARegistrationIsSigned() {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    exchange(host, HOST);
    ByteBuffer register = host.next();
    for (int i = 4; i < register.limit(); i++) {
      ByteBuffer forged = ByteBuffer.wrap(bytes(register));
      forged.put(i, (byte) (forged.get(i) ^ 1));
      ask(forged, HOST);
      assertTrue(desk.outcome() != RegistrationRefusal.OK, "byte " + i);
    }
    assertEquals(0, desk.size());
    ask(register, HOST);
    assertEquals(RegistrationRefusal.OK, desk.outcome());
  }

  /** Somebody between both gives each its own key: the signature has the key of the router. */
  @Test
  void anotherKeyAgreementIsNoticed() {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    ByteBuffer challenge = ask(host.next(), HOST);
    challenge.put(Messages.CHALLENGE_KEY, Secrets.wire(Secrets.pair().getPublic()));
    host.take(challenge, 0, challenge.limit());
    ask(host.next(), HOST);
    assertEquals(RegistrationRefusal.SIGNATURE, desk.outcome());
  }

  private RegistrationRefusal attempt(Endpoint from) {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    exchange(host, from);
    exchange(host, from);
    return host.refusal();
  }

  private void areRefused(List<RegistrationRefusal> expected, Endpoint... hosts) {
    assertEquals(expected, Stream.of(hosts).map(this::attempt).toList());
  }

  private static Endpoint ipv4(int last) {
    return Endpoint.ofIpv4(0xc6336400 + last, 6000);
  }

  private static List<RegistrationRefusal> taken(int count) {
    return Collections.nCopies(count, RegistrationRefusal.OK);
  }

  @Test
  void stateAndWorkAreBounded() {
    desk = desk(2, 3);
    areRefused(taken(2), ipv4(1), ipv4(2));
    areRefused(List.of(RegistrationRefusal.FULL), ipv4(3));
    areRefused(List.of(RegistrationRefusal.BUSY), ipv4(4));
    now += 1000;
    areRefused(List.of(RegistrationRefusal.FULL), ipv4(4));
    assertEquals(2, desk.size());
    rules.full = true;
    desk = desk(2, 3);
    areRefused(List.of(RegistrationRefusal.RULE), ipv4(4));
  }

  /** A key of its own owns as many serviceIDs as a host likes, and each port is another host. */
  @Test
  void noAddressKeepsAllOthersOut() {
    desk = desk(8, 100);
    Endpoint port = Endpoint.ofIpv4(0xc6336401, 7000);
    areRefused(taken(2), ipv4(1), port);
    areRefused(List.of(RegistrationRefusal.FULL), port);
    areRefused(taken(2), ipv4(2), ipv4(2));
    Endpoint first = new Endpoint(0x20010db800000001L, 1, 6000);
    Endpoint second = new Endpoint(0x20010db800000001L, 2, 6000);
    areRefused(taken(2), first, second);
    areRefused(List.of(RegistrationRefusal.FULL), first);
    now += 1000 * (LIFETIME + 1);
    areRefused(taken(2), port, port);
    areRefused(List.of(RegistrationRefusal.FULL), ipv4(1));
  }

  @Test
  void noAddressHasAllTurns() {
    desk = desk(100, 8);
    areRefused(taken(2), ipv4(1), ipv4(1));
    areRefused(List.of(RegistrationRefusal.BUSY), ipv4(1));
    areRefused(taken(1), ipv4(2));
    now += 999;
    areRefused(List.of(RegistrationRefusal.BUSY), ipv4(1));
    now += 1;
    areRefused(taken(2), ipv4(1), ipv4(1));
    areRefused(List.of(RegistrationRefusal.BUSY), ipv4(1));
  }

  /** The signature of the delegation is verified, too, and one of a stranger's is work as well. */
  @Test
  void aDelegationCountsAsASignature() {
    desk = desk(100, 8);
    KeyPair holder = pair(KeyType.ED25519);
    Delegation good = Delegation.sign(owner, holder.getPublic(), PART, SECONDS + 60);
    exchange(host(PART, new SigningKey(holder, good)), ipv4(1), 2);
    assertEquals(RegistrationRefusal.OK, desk.outcome());
    areRefused(List.of(RegistrationRefusal.BUSY), ipv4(1));
    areRefused(taken(2), ipv4(2), ipv4(2));
    Delegation bad = Delegation.sign(owner, pair(KeyType.ED25519).getPublic(), PART, SECONDS + 60);
    exchange(host(PART, new SigningKey(holder, bad)), ipv4(3), 2);
    assertEquals(RegistrationRefusal.DELEGATION, desk.outcome());
    areRefused(List.of(RegistrationRefusal.BUSY), ipv4(3));
    desk = desk(100, 1);
    exchange(host(PART, new SigningKey(holder, good)), ipv4(1), 2);
    assertEquals(RegistrationRefusal.OK, desk.outcome());
  }

  /** A delegation that was right is not verified again, but its end and its holder still count. */
  @Test
  void aDelegationIsVerifiedOnce() {
    desk = desk(100, 8);
    KeyPair holder = pair(KeyType.ED25519);
    Delegation good = Delegation.sign(owner, holder.getPublic(), PART, SECONDS + 60);
    exchange(host(PART, new SigningKey(holder, good)), ipv4(1), 2);
    assertEquals(2, curve.verified);
    exchange(host(PART, new SigningKey(holder, good)), ipv4(2), 2);
    assertEquals(RegistrationRefusal.OK, desk.outcome());
    assertEquals(3, curve.verified);
    areRefused(taken(1), ipv4(2)); // a turn of two was left
    KeyPair thief = pair(KeyType.ED25519);
    exchange(host(PART, new SigningKey(thief, good)), ipv4(3), 2);
    assertEquals(RegistrationRefusal.DELEGATION, desk.outcome());
    exchange(host(PART, new SigningKey(thief, good)), ipv4(4), 2);
    assertEquals(RegistrationRefusal.DELEGATION, desk.outcome());
    assertEquals(8, curve.verified, "a wrong one is verified each time");
    seconds = SECONDS + 60;
    now += 60_000;
    exchange(host(PART, new SigningKey(holder, good)), ipv4(1), 2);
    assertEquals(RegistrationRefusal.DELEGATION_ENDED, desk.outcome());
  }

  private void exchange(RegistrationHost host, Endpoint from, int times) {
    for (int i = 0; i < times; i++) {
      exchange(host, from);
    }
  }

  @Test
  void prefixesOutsideAreRefused() {
    desk =
        new RegistrationDesk(
            new RegistrationDesk.Settings(List.of(OWNED), Map.of(), 9, 9, LIFETIME),
            rules,
            new Random(1),
            curve);
    SigningKey key = key(KeyType.ED25519);
    isRefused(RegistrationRefusal.OUTSIDE, host(own(key), key));
  }

  @Test
  void foreignAnswersChangeNothing() {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    ByteBuffer challenge = ask(host.next(), HOST);
    challenge.put(Messages.NONCE, (byte) (challenge.get(Messages.NONCE) ^ 1));
    assertFalse(host.take(challenge, 0, challenge.limit()));
    assertEquals(State.ASKING, host.state());
    exchange(host, HOST);
    ByteBuffer answer = ask(host.next(), HOST);
    for (int i = 1; i < answer.limit(); i++) {
      ByteBuffer forged = ByteBuffer.wrap(bytes(answer));
      forged.put(i, (byte) (forged.get(i) ^ 0x11));
      assertFalse(host.take(forged, 0, forged.limit()), "byte " + i);
    }
    assertTrue(host.take(answer, 0, answer.limit()));
  }

  /** Any bytes are a named refusal, or no message. Nothing is registered by them. */
  @Test
  void mutantsAndCutMessages() {
    SigningKey key = key(KeyType.ED25519);
    RegistrationHost host = host(own(key), key);
    List<ByteBuffer> messages = new ArrayList<>(List.of(host.next()));
    exchange(host, HOST);
    messages.add(host.next());
    exchange(host, HOST);
    messages.add(host.next());
    Random random = new Random(5);
    for (ByteBuffer message : messages) {
      for (int length = 0; length < message.limit(); length++) {
        assertFalse(RegistrationDesk.isFor(message, 0, length));
        assertFalse(host.take(message, 0, length));
      }
      for (int i = 0; i < 3000; i++) {
        byte[] mutant = bytes(message);
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
          mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
        }
        ByteBuffer bytes = ByteBuffer.wrap(mutant);
        if (RegistrationDesk.isFor(bytes, 0, mutant.length)) {
          ask(bytes, HOST);
        }
        assertFalse(host.take(bytes, 0, mutant.length));
      }
    }
    assertEquals(1, desk.size());
  }

  @Test
  void otherKeysAreRefused() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp384r1"));
    KeyPair pair = generator.generateKeyPair();
    assertThrows(IllegalArgumentException.class, () -> new SigningKey(pair));
    SigningKey key = key(KeyType.ED25519);
    assertThrows(IllegalArgumentException.class, () -> key.id(new byte[11]));
    byte[] tail = new byte[KeyType.LENGTH];
    tail[KeyType.LENGTH - 1] = 1;
    assertFalse(KeyType.ED25519.isKey(tail));
  }
}
