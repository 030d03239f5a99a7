// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
import org.netserv.serval.endpoint.UdpHeader;
import org.netserv.serval.registration.Delegation;
import org.netserv.serval.registration.RegistrationHost;
import org.netserv.serval.registration.RegistrationHost.State;
import org.netserv.serval.registration.RegistrationRefusal;
import org.netserv.serval.registration.SigningKey;

/**
 * Signed registrations at the far router: good ones, which make rules and take them back, and one
 * for each refusal, which changes no rule.
 */
final class ForgedRegistrations {
  private static final ServiceId ROUTER = ServiceId.parse("00015b38");
  private static final byte[] FIRST = HexFormat.of().parseHex("000050070000000000000000");
  private static final byte[] OUTSIDE = HexFormat.of().parseHex("770000070000000000000000");
  private static final String OWN = ServalAttack.STRANGER + ":40001";
  private static final String OTHER_PORT = ServalAttack.STRANGER + ":40002";
  private static final int PATIENCE_MILLIS = 3000;
  private static final int SHORT_SECONDS = 1;
  private static final int SECONDS = 60;

  /** Offsets of fields, docs/protocols/serval.md. */
  private static final int OUTCOME = 1;

  private static final int HANDLE = 4;
  private static final int ANSWER_MAC = 24;
  private static final int COOKIE = 24;
  private static final int KEY_TYPE = 128;
  private static final int SIGNATURE = 196;

  /** Bytes of an unconnected datagram in front of its payload: SAL with two SERVICEs, and UDP. */
  private static final int BEFORE_PAYLOAD = 84 + UdpHeader.LENGTH;

  private final ServalAttack attack;
  private final Map<RegistrationRefusal, Long> counted = new TreeMap<>();
  private final Map<RegistrationRefusal, Long> answered = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();
  private ByteBuffer registered; // the last good REGISTER

  ForgedRegistrations(ServalAttack attack) {
    this.attack = attack;
  }

  /** A registration with its messages, and the service that it is for. */
  private record Registrant(RegistrationHost host, ServiceId source) {}

  void play() throws IOException {
    for (RegistrationRefusal each : RegistrationRefusal.values()) {
      counted.put(each, counter(each).read());
    }
    long rules = rules();
    try {
      Registrant good = good(key());
      row("rules of the router with a good registration", rules + 1);
      forged(good);
      row("rules of the router behind all forgeries", rules + 1);
      delegated();
      row("rules with that of a delegate", rules + 2);
      ask(good, good.host().withdrawal());
      row("rules behind a good withdrawal", rules + 1);
      ended(rules + 1);
    } catch (GeneralSecurityException e) {
      throw new LabException("no key: " + e.getMessage());
    }
    counters();
  }

  /** Makes a registration and refreshes it. From then on its REGISTER is old. */
  private Registrant good(SigningKey key) throws IOException {
    Registrant made = registered(key, SECONDS);
    ask(made, made.host().next());
    refused(RegistrationRefusal.REPLAYED, bytes(registered), OWN);
    return made;
  }

  private Registrant registered(SigningKey key, int seconds) throws IOException {
    Registrant made = signing(new ServicePrefix(key.id(FIRST), ServiceId.BITS), key, seconds);
    registered = made.host().next();
    ask(made, registered);
    if (made.host().state() != State.REGISTERED) {
      wrong.add("a good registration");
    }
    return made;
  }

  /** Makes a registration that sends REGISTER next. */
  private Registrant signing(ServicePrefix prefix, SigningKey key, int seconds) throws IOException {
    RegistrationHost host = new RegistrationHost(prefix, key, 1, seconds, new SecureRandom());
    Registrant made = new Registrant(host, key.id(FIRST));
    ask(made, host.next());
    return made;
  }

  /** Sends the messages that no key of theirs covers, each of which has to be refused. */
  private void forged(Registrant good) throws IOException, GeneralSecurityException {
    byte[] refresh = bytes(good.host().next());
    refused(RegistrationRefusal.OK, refresh, OWN);
    refused(RegistrationRefusal.REPLAYED, refresh, OWN);
    refused(RegistrationRefusal.UNKNOWN, changed(refresh, HANDLE), OWN);
    refused(RegistrationRefusal.MAC, changed(refresh, ANSWER_MAC), OWN);
    refused(RegistrationRefusal.MOVED, bytes(good.host().next()), OTHER_PORT);
    SigningKey key = key();
    byte[] register = bytes(signing(whole(key), key, SECONDS).host().next());
    refused(RegistrationRefusal.LATE, changed(register, COOKIE), OWN);
    refused(RegistrationRefusal.LATE, register, OTHER_PORT);
    refused(RegistrationRefusal.KEY, changed(register, KEY_TYPE), OWN);
    refused(RegistrationRefusal.SIGNATURE, changed(register, SIGNATURE), OWN);
    refused(RegistrationRefusal.NOT_OWNER, register(whole(key()), key), OWN);
    ServicePrefix everybody = new ServicePrefix(key.id(FIRST), 20);
    refused(RegistrationRefusal.NOT_OWNER, register(everybody, key), OWN);
    ServicePrefix outside = new ServicePrefix(key.id(OUTSIDE), ServiceId.BITS);
    refused(RegistrationRefusal.OUTSIDE, register(outside, key), OWN);
    forgedDelegations();
  }

  /** Sends delegations that have ended, of another holder, another prefix, and by a stranger. */
  private void forgedDelegations() throws IOException, GeneralSecurityException {
    SigningKey owner = key();
    ServicePrefix prefix = whole(owner);
    KeyPair holder = pair();
    long now = Instant.now().getEpochSecond();
    Delegation ended = Delegation.sign(owner.pair(), holder.getPublic(), prefix, now - 1);
    refused(RegistrationRefusal.DELEGATION_ENDED, delegated(prefix, holder, ended), OWN);
    Delegation others = Delegation.sign(owner.pair(), pair().getPublic(), prefix, now + SECONDS);
    refused(RegistrationRefusal.DELEGATION, delegated(prefix, holder, others), OWN);
    Delegation given = Delegation.sign(owner.pair(), holder.getPublic(), prefix, now + SECONDS);
    refused(RegistrationRefusal.DELEGATION, delegated(whole(key()), holder, given), OWN);
    Delegation own = Delegation.sign(pair(), holder.getPublic(), prefix, now + SECONDS);
    refused(RegistrationRefusal.NOT_OWNER, delegated(prefix, holder, own), OWN);
  }

  private byte[] delegated(ServicePrefix prefix, KeyPair holder, Delegation by) throws IOException {
    return register(prefix, new SigningKey(holder, by));
  }

  private void delegated() throws IOException, GeneralSecurityException {
    SigningKey owner = key();
    KeyPair holder = pair();
    long until = Instant.now().getEpochSecond() + SECONDS;
    Delegation given = Delegation.sign(owner.pair(), holder.getPublic(), whole(owner), until);
    SigningKey key = new SigningKey(holder, given);
    Registrant made = signing(whole(owner), key, SECONDS);
    ask(made, made.host().next());
  }

  /** Registers for a second, and refreshes when that is over. */
  private void ended(long rules) throws IOException, GeneralSecurityException {
    ServalAttack.Counter expired = attack.router("ROUTER_EXPIRED");
    long before = expired.read();
    Registrant made = registered(key(), SHORT_SECONDS);
    long seen = ServalAttack.await(expired, before + 1) - before;
    attack.rows().row("rules that ended by themselves", 1, seen);
    refused(RegistrationRefusal.UNKNOWN, bytes(made.host().next()), OWN);
    row("rules behind the end of a registration", rules);
  }

  private void counters() throws IOException {
    answered.remove(RegistrationRefusal.OK); // the rules show those that are taken
    for (Map.Entry<RegistrationRefusal, Long> each : answered.entrySet()) {
      long before = counted.get(each.getKey());
      long seen = ServalAttack.await(counter(each.getKey()), before + each.getValue()) - before;
      attack.rows().row("registrations, SIGNED_" + each.getKey(), each.getValue(), seen);
    }
    attack.rows().row("registrations with another outcome", "[]", wrong.toString());
  }

  private ServalAttack.Counter counter(RegistrationRefusal refusal) {
    return attack.router("SIGNED_" + refusal);
  }

  private long rules() throws IOException {
    return attack.routers().rules(ServalRouters.FAR);
  }

  private void row(String what, long expected) throws IOException {
    ServalAttack.await(() -> rules() == expected ? 1 : 0, 1);
    attack.rows().row(what, expected, rules());
  }

  // ---- messages

  private byte[] register(ServicePrefix prefix, SigningKey key) throws IOException {
    return bytes(signing(prefix, key, SECONDS).host().next());
  }

  /** Sends a message of a registration, which takes the answer. */
  private void ask(Registrant registrant, ByteBuffer message) throws IOException {
    byte[] answer = exchange(bytes(message), registrant.source(), OWN);
    registrant.host().take(ByteBuffer.wrap(answer), BEFORE_PAYLOAD, answer.length);
  }

  /** Sends a message. Its answer has to show this outcome. */
  private void refused(RegistrationRefusal expected, byte[] message, String from)
      throws IOException {
    byte[] answer = exchange(message, ROUTER, from);
    if (answer[BEFORE_PAYLOAD + OUTCOME] == expected.number()) {
      answered.merge(expected, 1L, Long::sum);
    } else {
      wrong.add(answer[BEFORE_PAYLOAD + OUTCOME] + " in place of " + expected);
    }
  }

  private byte[] exchange(byte[] message, ServiceId source, String from) throws IOException {
    byte[] datagram = ForgedPackets.datagram(ROUTER, source, message, Way.STRAIGHT);
    attack.stranger().send(from, ServalAttack.AT_ROUTER, List.of(datagram));
    List<byte[]> answers = attack.stranger().take(from, 1, PATIENCE_MILLIS);
    if (answers.isEmpty() || answers.get(0).length < BEFORE_PAYLOAD + 2) {
      throw new LabException("the router does not answer a registration");
    }
    return answers.get(0);
  }

  private static byte[] bytes(ByteBuffer message) {
    byte[] bytes = new byte[message.capacity()];
    message.get(0, bytes);
    return bytes;
  }

  private static byte[] changed(byte[] message, int at) {
    byte[] other = Arrays.copyOf(message, message.length);
    other[at] ^= 0x40;
    return other;
  }

  // ---- keys

  private static SigningKey key() throws GeneralSecurityException {
    return new SigningKey(pair());
  }

  private static KeyPair pair() throws GeneralSecurityException {
    return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
  }

  private static ServicePrefix whole(SigningKey key) {
    return new ServicePrefix(key.id(FIRST), ServiceId.BITS);
  }
}
