// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.interfaces.XECPrivateKey;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;

/**
 * A router's side of signed registrations, without I/O. It has no state of a host before the host
 * has shown its key.
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
  private static final int SECOND_MILLIS = 1000;

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

  private final Settings settings;
  private final Rules rules;
  private final RandomGenerator random;
  private final Curve25519 curve;
  private final KeyPair pair = Secrets.pair();
  private final byte[] wire = Secrets.wire(pair.getPublic());
  private final Challenges challenges;
  private final Rights rights;
  private final Signatures signatures;
  private final HeldRegistrations held;
  private RegistrationRefusal outcome;
  private ServicePrefix changed;

  /**
   * Makes a desk without registrations.
   *
   * @param random cannot be guessed
   */
  public RegistrationDesk(
      Settings settings, Rules rules, RandomGenerator random, Curve25519 curve) {
    this.settings = settings;
    this.rules = rules;
    this.random = random;
    this.curve = curve;
    challenges = new Challenges(random);
    rights = new Rights(settings.prefixes(), settings.owners());
    signatures = new Signatures(settings.perSecond(), curve);
    held = new HeldRegistrations(settings.most());
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
    challenges.expire(now);
    held.expire(now);
    outcome = null;
    changed = null;
    byte[] message = Messages.bytes(bytes, first, stop - first);
    return switch (message[0]) {
      case Messages.ASK -> challenges.challenge(message, host, wire, now);
      case Messages.REGISTER -> register(new RegisterMessage(message), host, now, seconds);
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

  // ---- registrations

  private ByteBuffer register(RegisterMessage register, Endpoint host, long now, long seconds) {
    HeldRegistration taken = null;
    if (!challenges.isFresh(register, host, now)) {
      outcome = RegistrationRefusal.LATE; // before the arithmetic of a key that anybody may send
    } else if (challenges.isSpent(register.cookie())) {
      taken = again(register, host);
    } else {
      taken = anew(register, host, now, seconds);
    }
    return taken == null ? refused(register.nonce()) : answer(taken, taken.until - now);
  }

  /** Answers a REGISTER again whose answer was lost. A replay of an older one changes nothing. */
  private HeldRegistration again(RegisterMessage register, Endpoint host) {
    HeldRegistration there = held.get(register.held(host));
    boolean last = there != null && there.counter == 0 && there.cookie.equals(register.cookie());
    outcome = last ? RegistrationRefusal.OK : RegistrationRefusal.REPLAYED;
    return last ? there : null;
  }

  private HeldRegistration anew(RegisterMessage register, Endpoint host, long now, long seconds) {
    byte[] text = RegisterMessage.text(register.bytes(), wire);
    outcome = rights.check(register, seconds);
    if (outcome == RegistrationRefusal.OK) {
      outcome = signatures.verify(register, text, host, now);
    }
    if (outcome != RegistrationRefusal.OK) {
      return null;
    }
    HeldRegistration made = make(register, text, host);
    outcome =
        made == null ? RegistrationRefusal.KEY : keep(made, register.lifetime(), now, seconds);
    return outcome == RegistrationRefusal.OK ? made : null;
  }

  /** Makes a registration with the key of its MACs, null if the host's key makes none. */
  private HeldRegistration make(RegisterMessage register, byte[] text, Endpoint host) {
    byte[] secret = curve.agree((XECPrivateKey) pair.getPrivate(), register.agreement());
    if (secret == null) {
      return null;
    }
    Mac mac = Secrets.mac(secret, text);
    return new HeldRegistration(
        random.nextLong(),
        register.held(host),
        register.weight(),
        mac,
        register.cookie(),
        register.rightUntil());
  }

  private RegistrationRefusal keep(HeldRegistration made, long asked, long now, long seconds) {
    if (held.get(made.key) == null && held.isFull(made.key.host())) {
      return RegistrationRefusal.FULL;
    }
    made.until = now + SECOND_MILLIS * lifetime(made, asked, seconds);
    if (!put(made, made.until)) {
      return RegistrationRefusal.RULE;
    }
    held.put(made);
    challenges.spend(made.cookie, now);
    return RegistrationRefusal.OK;
  }

  /** Returns the seconds of a rule, which does not outlive the delegation behind it. */
  private long lifetime(HeldRegistration of, long asked, long seconds) {
    long wanted = Math.min(asked, settings.lifetime());
    return Math.max(1, Math.min(wanted, of.rightUntil - seconds));
  }

  private boolean put(HeldRegistration of, long until) {
    HeldRegistration.Key key = of.key;
    boolean put = rules.put(key.prefix(), key.host(), of.weight, key.owner(), until);
    changed = put ? key.prefix() : null;
    return put;
  }

  // ---- refreshes

  private ByteBuffer refresh(byte[] refresh, Endpoint host, long now, long seconds) {
    ByteBuffer from = ByteBuffer.wrap(refresh);
    HeldRegistration there = held.get(from.getLong(Messages.HANDLE));
    outcome = check(refresh, there, host);
    if (outcome != RegistrationRefusal.OK) {
      return refused(from.getLong(Messages.HANDLE));
    }
    there.counter = from.getLong(Messages.COUNTER);
    long asked = from.getInt(Messages.ANSWER_LIFETIME) & 0xffffffffL;
    return asked == 0 ? withdraw(there) : prolong(there, asked, now, seconds);
  }

  private static RegistrationRefusal check(byte[] refresh, HeldRegistration there, Endpoint host) {
    if (there == null) {
      return RegistrationRefusal.UNKNOWN;
    }
    if (!Secrets.isSealed(there.mac, refresh)) {
      return RegistrationRefusal.MAC;
    }
    if (!there.key.host().equals(host)) {
      return RegistrationRefusal.MOVED;
    }
    return ByteBuffer.wrap(refresh).getLong(Messages.COUNTER) <= there.counter
        ? RegistrationRefusal.REPLAYED
        : RegistrationRefusal.OK;
  }

  private ByteBuffer withdraw(HeldRegistration there) {
    held.remove(there);
    rules.remove(there.key.prefix(), there.key.host(), there.key.owner());
    return answer(there, 0);
  }

  private ByteBuffer prolong(HeldRegistration there, long asked, long now, long seconds) {
    long until = now + SECOND_MILLIS * lifetime(there, asked, seconds);
    if (there.rightUntil <= seconds) {
      outcome = RegistrationRefusal.DELEGATION_ENDED;
    } else if (!put(there, until)) {
      outcome = RegistrationRefusal.RULE;
    } else {
      held.prolong(there, until);
      return answer(there, until - now);
    }
    return refused(there.handle);
  }

  // ---- answers

  private static ByteBuffer answer(HeldRegistration registration, long millis) {
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
