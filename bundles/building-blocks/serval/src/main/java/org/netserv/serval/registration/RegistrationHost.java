// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import org.netserv.serval.ServicePrefix;

/**
 * A host's side of one signed registration, without I/O and timers: {@link #next} is the message to
 * be sent now, and {@link #take} takes an answer.
 *
 * <pre>
 *   state       message    answer                          next state
 *   ASKING      ASK        CHALLENGE with the nonce        SIGNING
 *   SIGNING     REGISTER   ANSWER with a right MAC, OK     REGISTERED
 *               REGISTER   ANSWER, refused                 ASKING
 *   REGISTERED  REFRESH    ANSWER with a right MAC, OK     REGISTERED
 *               REFRESH    ANSWER, refused                 ASKING
 *   any         any        another one                     the same
 * </pre>
 *
 * <p>A refusal has no MAC where the router has no key yet. So somebody who can see and send packets
 * can have the host sign again, and no more.
 */
public final class RegistrationHost {
  /** The state of a registration. */
  public enum State {
    ASKING,
    SIGNING,
    REGISTERED
  }

  private final ServicePrefix prefix;
  private final SigningKey key;
  private int weight;
  private final int lifetime;
  private final RandomGenerator random;
  private State state = State.ASKING;
  private byte[] nonce;
  private ByteBuffer signed; // the REGISTER of a challenge
  private Mac mac;
  private long handle;
  private long counter;
  private long acknowledged;
  private int granted;
  private RegistrationRefusal refusal = RegistrationRefusal.OK;

  /**
   * Makes a registration that is to be asked for.
   *
   * @param weight 0 to 65,535
   * @param lifetime seconds, 1 to 86,400; the router may grant less
   * @param random cannot be guessed
   */
  public RegistrationHost(
      ServicePrefix prefix, SigningKey key, int weight, int lifetime, RandomGenerator random) {
    this.prefix = prefix;
    this.key = key;
    this.weight = weight;
    this.lifetime = lifetime;
    this.random = random;
    again();
  }

  /** Begins anew, as after a move. */
  public void again() {
    state = State.ASKING;
    nonce = new byte[Messages.NONCE_LENGTH];
    random.nextBytes(nonce);
  }

  /**
   * Begins anew with another weight.
   *
   * @return false if the weight is the present one
   */
  public boolean weight(int other) {
    if (other == weight) {
      return false;
    }
    weight = other;
    again();
    return true;
  }

  /** Returns the message for the router now. The same one may go several times. */
  public ByteBuffer next() {
    return switch (state) {
      case ASKING -> Messages.begin(Messages.ASK, Messages.ASK_LENGTH).put(Messages.NONCE, nonce);
      case SIGNING -> signed.duplicate();
      case REGISTERED -> refresh(lifetime);
    };
  }

  /** Returns the message that withdraws the registration, null if there is none. */
  public ByteBuffer withdrawal() {
    return state == State.REGISTERED ? refresh(0) : null;
  }

  private ByteBuffer refresh(int seconds) {
    ByteBuffer message =
        Messages.begin(Messages.REFRESH, Messages.ANSWER_LENGTH)
            .putLong(Messages.HANDLE, handle)
            .putLong(Messages.COUNTER, ++counter)
            .putInt(Messages.ANSWER_LIFETIME, seconds);
    Secrets.seal(mac, message);
    return message;
  }

  /**
   * Takes an answer.
   *
   * @param bytes big-endian
   * @return true if it was expected and right, so that {@link #next} is another message or due
   *     later
   */
  public boolean take(ByteBuffer bytes, int first, int stop) {
    int type = Messages.type(bytes, first, stop);
    if (type == Messages.CHALLENGE && state == State.ASKING) {
      return isChallenged(Messages.bytes(bytes, first, stop - first));
    }
    return type == Messages.ANSWER
        && state != State.ASKING
        && isAnswered(Messages.bytes(bytes, first, stop - first));
  }

  private boolean isChallenged(byte[] challenge) {
    if (!Arrays.equals(
        challenge, Messages.NONCE, Messages.NONCE + nonce.length, nonce, 0, nonce.length)) {
      return false;
    }
    KeyPair own = Secrets.pair();
    ByteBuffer from = ByteBuffer.wrap(challenge);
    byte[] router = Messages.bytes(from, Messages.CHALLENGE_KEY, Messages.HASH);
    int delegated = key.delegation() == null ? 0 : 1;
    ByteBuffer message =
        Messages.begin(Messages.REGISTER, Messages.REGISTER_LENGTH + delegated * Delegation.LENGTH)
            .put(Messages.NONCE, nonce)
            .putInt(Messages.MINUTE, from.getInt(Messages.CHALLENGE_MINUTE))
            .put(Messages.COOKIE, challenge, Messages.CHALLENGE_COOKIE, Messages.HASH)
            .put(Messages.AGREEMENT, Secrets.wire(own.getPublic()))
            .putInt(Messages.LIFETIME, lifetime)
            .putShort(Messages.WEIGHT, (short) weight)
            .putShort(Messages.BITS, (short) prefix.bits())
            .put(Messages.KEY_TYPE, (byte) key.type().number())
            .put(Messages.DELEGATED, (byte) delegated)
            .put(Messages.KEY, key.wire());
    prefix.id().put(message, Messages.ID);
    if (delegated != 0) {
      key.delegation().put(message, Messages.REGISTER_LENGTH);
    }
    byte[] text = RegisterMessage.text(Messages.bytes(message, 0, message.capacity()), router);
    message.put(Messages.SIGNATURE, key.type().sign(key.pair().getPrivate(), text));
    byte[] secret = Secrets.agree(own.getPrivate(), router);
    if (secret == null) {
      return false; // no key for an agreement
    }
    mac = Secrets.mac(secret, text);
    signed = message;
    state = State.SIGNING;
    return true;
  }

  private boolean isAnswered(byte[] answer) {
    ByteBuffer from = ByteBuffer.wrap(answer);
    RegistrationRefusal outcome = RegistrationRefusal.of(answer[Messages.OUTCOME] & 0xff);
    if (outcome == null) {
      return false;
    }
    if (outcome != RegistrationRefusal.OK) {
      return isRefused(outcome, from);
    }
    boolean first = state == State.SIGNING;
    if (!first && from.getLong(Messages.HANDLE) != handle) {
      return false; // of another registration
    }
    long count = from.getLong(Messages.COUNTER);
    if (!Secrets.isSealed(mac, answer)
        || (first ? count != 0 : count <= acknowledged || count > counter)) {
      return false;
    }
    if (first) {
      handle = from.getLong(Messages.HANDLE);
      counter = 0;
    }
    acknowledged = count;
    granted = from.getInt(Messages.ANSWER_LIFETIME);
    refusal = outcome;
    state = State.REGISTERED;
    return true;
  }

  /** Begins anew after a refusal of the message that is under way. */
  private boolean isRefused(RegistrationRefusal outcome, ByteBuffer from) {
    long expected = state == State.REGISTERED ? handle : ByteBuffer.wrap(nonce).getLong(0);
    if (from.getLong(Messages.HANDLE) != expected) {
      return false;
    }
    refusal = outcome;
    again();
    return true;
  }

  public State state() {
    return state;
  }

  /** Returns the outcome of the last answer. */
  public RegistrationRefusal refusal() {
    return refusal;
  }

  /** Returns the seconds that the router granted last. */
  public int granted() {
    return granted;
  }

  /** Returns the number of refreshes that the router has not answered. */
  public long unanswered() {
    return counter - acknowledged;
  }
}
