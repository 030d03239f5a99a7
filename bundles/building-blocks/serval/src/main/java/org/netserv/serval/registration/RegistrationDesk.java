// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * A router's side of signed registrations, without I/O. It has no state of a host before the host
 * has shown its key: a challenge is a hash (HMAC-SHA-256 with a random key of the router) of the
 * minute, the host's address and its nonce.
 *
 * <pre>
 *   ASK       -> CHALLENGE
 *   REGISTER  -> cookie? spent? key, owner, delegation? busy? signatures? -> the rule -> ANSWER
 *   REFRESH   -> there? same address? newer? MAC?                 -> the rule -> ANSWER
 * </pre>
 *
 * <p>The cheap checks come first, and no answer is longer than its question. A registration is
 * known by a random handle. Its end is that of the rule, and memory is bounded. Time is a number of
 * milliseconds, but delegations end by the wall clock. One thread at a time.
 */
public final class RegistrationDesk {
  private static final int MINUTE_MILLIS = 60_000;
  private static final int SECOND_MILLIS = 1000;
  private static final int OWNER_BYTES = 16;
  private static final int CHALLENGED_MILLIS = 2 * MINUTE_MILLIS;

  /**
   * The choices of a router.
   *
   * @param prefixes in which it takes signed registrations
   * @param owners the keys that may register any service of a prefix, and delegate it
   * @param most registrations at once
   * @param perSecond signatures that are verified in a second
   * @param lifetime the longest one, in seconds
   */
  public record Settings(
      List<ServicePrefix> prefixes,
      Map<ServicePrefix, PublicKey> owners,
      int most,
      int perSecond,
      int lifetime) {}

  /** Puts the rules of hosts into a service table. */
  public interface Rules {
    /**
     * Puts a rule, or gives it a new end.
     *
     * @param owner the same for all registrations of a key
     * @return false if the table refuses it
     */
    boolean put(ServicePrefix prefix, Endpoint target, int weight, String owner, long until);

    void remove(ServicePrefix prefix, Endpoint target, String owner);
  }

  /** A registration. */
  private static final class Held {
    private final long handle;
    private final ServicePrefix prefix;
    private final Endpoint host;
    private final int weight;
    private final String owner;
    private final Mac mac;
    private final ByteBuffer cookie;
    private final long rightUntil; // seconds since 1970, of the delegation
    private long counter;
    private long until;

    private Held(
        long handle,
        ServicePrefix prefix,
        Endpoint host,
        int weight,
        String owner,
        Mac mac,
        ByteBuffer cookie,
        long rightUntil) {
      this.handle = handle;
      this.prefix = prefix;
      this.host = host;
      this.weight = weight;
      this.owner = owner;
      this.mac = mac;
      this.cookie = cookie;
      this.rightUntil = rightUntil;
    }
  }

  /** The parts of a registration that it replaces another one by. */
  private record Key(ServicePrefix prefix, Endpoint host, String owner) {}

  /** A signature that was verified. */
  private record Turn(long time, Endpoint host) {}

  private final Settings settings;
  private final Rules rules;
  private final RandomGenerator random;
  private final Mac cookies;
  private final KeyPair pair = Secrets.pair();
  private final byte[] wire = Secrets.wire(pair.getPublic());
  private final Map<Long, Held> held = new HashMap<>();
  private final Map<Key, Held> byKey = new HashMap<>();
  private final TreeSet<Held> ends =
      new TreeSet<>(
          (one, other) -> {
            int order = Long.compare(one.until, other.until);
            return order != 0 ? order : Long.compare(one.handle, other.handle);
          });
  private final Deque<Turn> verified = new ArrayDeque<>();
  private final Shares turns; // of the signatures in a second
  private final Shares places; // of the registrations

  /** The cookies of registrations that were taken, with the time: each counts once. */
  private final Map<ByteBuffer, Long> spent = new LinkedHashMap<>();

  private RegistrationRefusal outcome;
  private ServicePrefix changed;

  /**
   * Makes a desk without registrations.
   *
   * @param random cannot be guessed
   */
  public RegistrationDesk(Settings settings, Rules rules, RandomGenerator random) {
    this.settings = settings;
    this.rules = rules;
    this.random = random;
    turns = new Shares(settings.perSecond());
    places = new Shares(settings.most());
    byte[] secret = new byte[Messages.HASH];
    random.nextBytes(secret);
    cookies = Secrets.mac(secret);
  }

  /** Tells whether bytes are a message that a host sends here. */
  public static boolean isFor(ByteBuffer bytes, int first, int stop) {
    int type = Messages.type(bytes, first, stop);
    return type == Messages.ASK || type == Messages.REGISTER || type == Messages.REFRESH;
  }

  /**
   * Takes a message for which {@link #isFor} is true.
   *
   * @param host its sender
   * @param now milliseconds, never backwards
   * @param seconds since 1970
   * @return the answer
   */
  public ByteBuffer take(
      ByteBuffer bytes, int first, int stop, Endpoint host, long now, long seconds) {
    expire(now);
    changed = null;
    byte[] message = Messages.bytes(bytes, first, stop - first);
    return switch (message[0]) {
      case Messages.ASK -> challenge(message, host, now);
      case Messages.REGISTER -> register(message, host, now, seconds);
      default -> refresh(message, host, now, seconds);
    };
  }

  /** Returns the outcome of the last message, null for a challenge. */
  public RegistrationRefusal outcome() {
    return outcome;
  }

  /** Returns the prefix whose rule the last message made or prolonged, null if it did not. */
  public ServicePrefix changed() {
    return changed;
  }

  /** Returns the number of registrations. */
  public int size() {
    return held.size();
  }

  // ---- challenges

  private ByteBuffer challenge(byte[] ask, Endpoint host, long now) {
    outcome = null;
    int minute = minute(now);
    return Messages.begin(Messages.CHALLENGE, Messages.CHALLENGE_LENGTH)
        .put(Messages.NONCE, ask, Messages.NONCE, Messages.NONCE_LENGTH)
        .put(Messages.CHALLENGE_KEY, wire)
        .putInt(Messages.CHALLENGE_MINUTE, minute)
        .put(Messages.CHALLENGE_COOKIE, cookie(ask, host, minute));
  }

  private static int minute(long now) {
    return (int) Math.floorDiv(now, (long) MINUTE_MILLIS);
  }

  private byte[] cookie(byte[] message, Endpoint host, int minute) {
    ByteBuffer text = ByteBuffer.allocate(24);
    text.putLong(host.high()).putLong(host.low()).putInt(host.port()).putInt(minute);
    cookies.update(text.array());
    cookies.update(message, Messages.NONCE, Messages.NONCE_LENGTH);
    return cookies.doFinal();
  }

  private boolean isFresh(byte[] register, Endpoint host, long now) {
    ByteBuffer from = ByteBuffer.wrap(register);
    int minute = from.getInt(Messages.MINUTE);
    int age = minute(now) - minute;
    byte[] cookie = Messages.bytes(from, Messages.COOKIE, Messages.HASH);
    return (age == 0 || age == 1) && MessageDigest.isEqual(cookie, cookie(register, host, minute));
  }

  // ---- registrations

  private ByteBuffer register(byte[] register, Endpoint host, long now, long seconds) {
    ByteBuffer from = ByteBuffer.wrap(register);
    if (!isFresh(register, host, now)) {
      outcome = RegistrationRefusal.LATE; // before the arithmetic of a key that anybody may send
      return refused(from.getLong(Messages.NONCE));
    }
    int bits = from.getShort(Messages.BITS) & 0xffff;
    ServicePrefix prefix =
        bits > ServiceId.BITS
            ? ServicePrefix.DEFAULT
            : new ServicePrefix(ServiceId.get(from, Messages.ID), bits);
    KeyType type = KeyType.of(register[Messages.KEY_TYPE]);
    byte[] key = Messages.bytes(from, Messages.KEY, KeyType.LENGTH);
    if (spent.containsKey(cookieOf(register))) {
      return again(register, prefix, key, host, now);
    }
    PublicKey publicKey = type == null ? null : type.key(key);
    outcome = check(register, prefix, type, key, publicKey, seconds);
    if (outcome == RegistrationRefusal.OK) {
      outcome = verify(register, type, key, publicKey, host, now);
    }
    Held made = outcome == RegistrationRefusal.OK ? make(register, prefix, key, host) : null;
    if (made != null) {
      take(made, from.getInt(Messages.LIFETIME), now, seconds);
    }
    if (outcome == RegistrationRefusal.OK) {
      return answer(made, made.until - now);
    }
    return refused(from.getLong(Messages.NONCE));
  }

  private static ByteBuffer cookieOf(byte[] register) {
    return ByteBuffer.wrap(
        Messages.bytes(ByteBuffer.wrap(register), Messages.COOKIE, Messages.HASH));
  }

  private static String owner(byte[] key) {
    return HexFormat.of().formatHex(key, 0, OWNER_BYTES);
  }

  /** Answers a REGISTER again whose answer was lost. A replay of an older one changes nothing. */
  private ByteBuffer again(
      byte[] register, ServicePrefix prefix, byte[] key, Endpoint host, long now) {
    Held there = byKey.get(new Key(prefix, host, owner(key)));
    if (there != null && there.counter == 0 && there.cookie.equals(cookieOf(register))) {
      outcome = RegistrationRefusal.OK;
      return answer(there, there.until - now);
    }
    outcome = RegistrationRefusal.REPLAYED;
    return refused(ByteBuffer.wrap(register).getLong(Messages.NONCE));
  }

  private RegistrationRefusal check(
      byte[] register,
      ServicePrefix prefix,
      KeyType type,
      byte[] key,
      PublicKey publicKey,
      long seconds) {
    if (settings.prefixes().stream().noneMatch(each -> each.covers(prefix))) {
      return RegistrationRefusal.OUTSIDE;
    }
    if (publicKey == null) {
      return RegistrationRefusal.KEY;
    }
    boolean delegated = register.length > Messages.REGISTER_LENGTH;
    if (delegated != (register[Messages.DELEGATED] == 1)) {
      return RegistrationRefusal.DELEGATION;
    }
    if (delegated) {
      Delegation delegation = Delegation.get(ByteBuffer.wrap(register), Messages.REGISTER_LENGTH);
      return delegated(delegation, prefix, seconds);
    }
    return SigningKey.owns(type, key, prefix) || owns(publicKey, prefix)
        ? RegistrationRefusal.OK
        : RegistrationRefusal.NOT_OWNER;
  }

  private boolean owns(PublicKey key, ServicePrefix prefix) {
    return settings.owners().entrySet().stream()
        .anyMatch(each -> each.getKey().covers(prefix) && each.getValue().equals(key));
  }

  private RegistrationRefusal delegated(Delegation delegation, ServicePrefix prefix, long seconds) {
    PublicKey owner = delegation.owner();
    ServicePrefix given = delegation.prefix();
    if (owner == null || given == null || !given.covers(prefix)) {
      return RegistrationRefusal.DELEGATION;
    }
    if (delegation.until() <= seconds) {
      return RegistrationRefusal.DELEGATION_ENDED;
    }
    boolean owned =
        owns(owner, given)
            || SigningKey.owns(KeyType.of(owner), KeyType.of(owner).bytes(owner), given);
    return owned ? RegistrationRefusal.OK : RegistrationRefusal.NOT_OWNER;
  }

  private RegistrationRefusal verify(
      byte[] register, KeyType type, byte[] wireKey, PublicKey key, Endpoint host, long now) {
    while (!verified.isEmpty() && verified.peekFirst().time() <= now - SECOND_MILLIS) {
      turns.remove(verified.removeFirst().host());
    }
    if (verified.size() >= settings.perSecond() || turns.isSpent(host)) {
      return RegistrationRefusal.BUSY;
    }
    turn(host, now);
    byte[] text = RegistrationHost.text(register, wire);
    byte[] signature =
        Messages.bytes(ByteBuffer.wrap(register), Messages.SIGNATURE, KeyType.LENGTH);
    if (!type.verify(key, text, signature)) {
      return RegistrationRefusal.SIGNATURE;
    }
    if (register.length == Messages.REGISTER_LENGTH) {
      return RegistrationRefusal.OK;
    }
    turn(host, now); // may be one beyond the bound, so that a bound of 1 lets delegates in
    return isDelegated(register, type, wireKey)
        ? RegistrationRefusal.OK
        : RegistrationRefusal.DELEGATION;
  }

  /** Counts a signature that is verified now. */
  private void turn(Endpoint host, long now) {
    verified.addLast(new Turn(now, host));
    turns.add(host);
  }

  /** Tells whether the owner has signed the delegation of a registration for this key. */
  private static boolean isDelegated(byte[] register, KeyType type, byte[] key) {
    Delegation delegation = Delegation.get(ByteBuffer.wrap(register), Messages.REGISTER_LENGTH);
    return delegation.isSigned(delegation.owner(), type, key);
  }

  private Held make(byte[] register, ServicePrefix prefix, byte[] key, Endpoint host) {
    ByteBuffer from = ByteBuffer.wrap(register);
    byte[] peer = Messages.bytes(from, Messages.AGREEMENT, Messages.HASH);
    byte[] text = RegistrationHost.text(register, wire);
    Mac mac = Secrets.agree(pair.getPrivate(), peer, text);
    if (mac == null) {
      outcome = RegistrationRefusal.KEY;
      return null;
    }
    int weight = from.getShort(Messages.WEIGHT) & 0xffff;
    ByteBuffer cookie = cookieOf(register);
    return new Held(
        random.nextLong(), prefix, host, weight, owner(key), mac, cookie, rightUntil(register));
  }

  private static long rightUntil(byte[] register) {
    return register.length == Messages.REGISTER_LENGTH
        ? Long.MAX_VALUE
        : Delegation.get(ByteBuffer.wrap(register), Messages.REGISTER_LENGTH).until();
  }

  /** Keeps a registration in the place of the former one of the same key, prefix and host. */
  private void take(Held made, int asked, long now, long seconds) {
    Key key = new Key(made.prefix, made.host, made.owner);
    Held former = byKey.get(key);
    if (former == null && (held.size() >= settings.most() || places.isSpent(made.host))) {
      outcome = RegistrationRefusal.FULL;
      return;
    }
    made.until = now + SECOND_MILLIS * lifetime(made, asked, seconds);
    if (!rules.put(made.prefix, made.host, made.weight, made.owner, made.until)) {
      outcome = RegistrationRefusal.RULE;
      return;
    }
    if (former != null) {
      forget(former);
    }
    held.put(made.handle, made);
    byKey.put(key, made);
    ends.add(made);
    places.add(made.host);
    spent.put(made.cookie, now);
    changed = made.prefix;
  }

  /** Returns the seconds of a rule, which does not outlive the delegation behind it. */
  private long lifetime(Held of, int asked, long seconds) {
    long wanted = Math.min(asked & 0xffffffffL, settings.lifetime());
    return Math.max(1, Math.min(wanted, of.rightUntil - seconds));
  }

  private void forget(Held former) {
    held.remove(former.handle);
    byKey.remove(new Key(former.prefix, former.host, former.owner));
    ends.remove(former);
    places.remove(former.host);
  }

  private void expire(long now) {
    var oldest = spent.values().iterator();
    while (oldest.hasNext() && oldest.next() < now - CHALLENGED_MILLIS) {
      oldest.remove();
    }
    while (!ends.isEmpty() && ends.first().until <= now) {
      forget(ends.first());
    }
  }

  // ---- refreshes

  private ByteBuffer refresh(byte[] refresh, Endpoint host, long now, long seconds) {
    ByteBuffer from = ByteBuffer.wrap(refresh);
    long handle = from.getLong(Messages.HANDLE);
    Held there = held.get(handle);
    outcome = check(refresh, there, host);
    if (outcome != RegistrationRefusal.OK) {
      return refused(handle);
    }
    there.counter = from.getLong(Messages.COUNTER);
    int asked = from.getInt(Messages.ANSWER_LIFETIME);
    if (asked == 0) {
      forget(there);
      rules.remove(there.prefix, there.host, there.owner);
      return answer(there, 0);
    }
    if (there.rightUntil <= seconds) {
      outcome = RegistrationRefusal.DELEGATION_ENDED;
      return refused(handle);
    }
    long until = now + SECOND_MILLIS * lifetime(there, asked, seconds);
    if (!rules.put(there.prefix, there.host, there.weight, there.owner, until)) {
      outcome = RegistrationRefusal.RULE;
      return refused(handle);
    }
    ends.remove(there);
    there.until = until;
    ends.add(there);
    changed = there.prefix;
    return answer(there, until - now);
  }

  private static RegistrationRefusal check(byte[] refresh, Held there, Endpoint host) {
    if (there == null) {
      return RegistrationRefusal.UNKNOWN;
    }
    if (!Secrets.isSealed(there.mac, refresh)) {
      return RegistrationRefusal.MAC;
    }
    if (!there.host.equals(host)) {
      return RegistrationRefusal.MOVED;
    }
    return ByteBuffer.wrap(refresh).getLong(Messages.COUNTER) <= there.counter
        ? RegistrationRefusal.REPLAYED
        : RegistrationRefusal.OK;
  }

  // ---- answers

  private static ByteBuffer answer(Held registration, long millis) {
    ByteBuffer answer =
        Messages.begin(Messages.ANSWER, Messages.ANSWER_LENGTH)
            .putLong(Messages.HANDLE, registration.handle)
            .putLong(Messages.COUNTER, registration.counter)
            .putInt(Messages.ANSWER_LIFETIME, (int) (millis / SECOND_MILLIS));
    Secrets.seal(registration.mac, answer);
    return answer;
  }

  private ByteBuffer refused(long handle) {
    return Messages.begin(Messages.ANSWER, Messages.ANSWER_LENGTH)
        .put(Messages.OUTCOME, (byte) outcome.number())
        .putLong(Messages.HANDLE, handle);
  }
}
