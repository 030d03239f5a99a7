// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmRules;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.Trigger;

/** Makes a message fresh, numbered and the publisher's own. Safe for several threads. */
final class Author {
  private final String user;
  private final PrivateKey key;
  private final Supplier<Delegation> delegation;
  private final Clock clock;
  private final SecureRandom random;
  private final AtomicLong sequence = new AtomicLong();

  /**
   * An author.
   *
   * @param user null together with {@code key}: a stranger, unless there is a delegation
   * @param delegation by which the key signs, asked for each message; null = the key is the
   *     publisher's own
   */
  Author(
      String user,
      PrivateKey key,
      Supplier<Delegation> delegation,
      Clock clock,
      SecureRandom random) {
    this.user = user;
    this.key = key;
    this.delegation = delegation;
    this.clock = clock;
    this.random = random;
  }

  /** The message as it is sent; one that no node would take is refused here. */
  Ncm finish(Ncm message, InetAddress to) throws NcmException {
    Instant now = clock.instant();
    Ncm.Builder fresh = message.toBuilder().date(now).nonce(nonce()).to(to);
    if (message.method() != Method.PROBE) {
      fresh.set(Header.SEQ, next(now));
    }
    Ncm finished = fresh.build();
    if (delegation != null) {
      Delegation present = delegation.get();
      fresh.delegation(present).set(Header.USER, present.user());
      finished = NcmSigner.sign(fresh.build(), key);
    } else if (user != null) {
      finished = NcmSigner.sign(fresh.set(Header.USER, user).build(), key);
    }
    NcmRules.check(finished, false);
    return finished;
  }

  /** Wraps a message, finished here as well, for the last node on the path to {@code to}. */
  Trigger wrap(Ncm message, InetAddress backTo, InetAddress to) throws NcmException {
    if (delegation != null) {
      throw new IllegalArgumentException("delegation: a TRIGGER is never a delegate's");
    }
    if (user == null) {
      throw new IllegalArgumentException("user: a TRIGGER is always signed by its publisher");
    }
    return Trigger.sign(finish(message, backTo), to, clock.instant(), nonce(), key);
  }

  /** Milliseconds of the clock, but always more than before. */
  private long next(Instant now) {
    return sequence.updateAndGet(last -> Math.max(last + 1, now.toEpochMilli()));
  }

  private byte[] nonce() {
    byte[] nonce = new byte[Ncm.NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }
}
