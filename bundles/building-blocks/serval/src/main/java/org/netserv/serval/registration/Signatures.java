// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.serval.Endpoint;

/**
 * Verifies the signatures of registrations, so many in a second. The last delegations that were
 * right are remembered by a digest, and take no further verification. One that was wrong is not
 * remembered.
 */
final class Signatures {
  private static final int SECOND_MILLIS = 1000;
  private static final int REMEMBERED = 1024;
  private static final int ED25519_BYTES = 32;

  /** A signature that was verified. */
  private record Turn(long time, Endpoint host) {}

  private final int perSecond;
  private final Curve25519 curve;
  private final Deque<Turn> verified = new ArrayDeque<>();
  private final Shares turns;
  private final Map<ByteBuffer, Boolean> delegations =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  Signatures(int perSecond, Curve25519 curve) {
    this.perSecond = perSecond;
    this.curve = curve;
    turns = new Shares(perSecond);
  }

  /**
   * Verifies the signature of a message, and the one of its delegation.
   *
   * @param text the bytes that it signs
   */
  RegistrationRefusal verify(RegisterMessage register, byte[] text, Endpoint host, long now) {
    while (!verified.isEmpty() && verified.peekFirst().time() <= now - SECOND_MILLIS) {
      turns.remove(verified.removeFirst().host());
    }
    if (verified.size() >= perSecond || turns.isSpent(host)) {
      return RegistrationRefusal.BUSY;
    }
    turn(host, now);
    if (!isRight(register.keyType(), register.key(), text, register.signature())) {
      return RegistrationRefusal.SIGNATURE;
    }
    return register.delegation() == null || isDelegated(register, host, now)
        ? RegistrationRefusal.OK
        : RegistrationRefusal.DELEGATION;
  }

  /** Counts a signature that is verified now. */
  private void turn(Endpoint host, long now) {
    verified.addLast(new Turn(now, host));
    turns.add(host);
  }

  /** Tells whether the owner has signed the delegation of a registration for its key. */
  private boolean isDelegated(RegisterMessage register, Endpoint host, long now) {
    Delegation delegation = register.delegation();
    byte[] text = delegation.text(register.keyType(), register.key());
    ByteBuffer digest = ByteBuffer.wrap(Secrets.sha256(text, delegation.signature()));
    if (delegations.get(digest) != null) {
      return true;
    }
    turn(host, now); // may be one beyond the bound, so that a bound of 1 lets delegates in
    boolean right =
        isRight(delegation.ownerType(), delegation.owner(), text, delegation.signature());
    if (right) {
      delegations.put(digest, true);
    }
    return right;
  }

  private boolean isRight(KeyType type, byte[] key, byte[] text, byte[] signature) {
    return type == KeyType.ED25519
        ? curve.verify(Arrays.copyOf(key, ED25519_BYTES), text, signature)
        : type.verify(key, text, signature);
  }
}
