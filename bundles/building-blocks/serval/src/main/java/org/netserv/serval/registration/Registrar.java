// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.ServicePrefix;

/**
 * Registers one service with a router, without I/O and timers of its own. A router of the published
 * stack does not answer. So the first registrations follow each other soon, in case some are lost,
 * and so do the withdrawals. A signed registration has answers, and is repeated in the same pauses
 * until one comes. One thread at a time. Times are milliseconds that never go backwards.
 */
public final class Registrar {
  /** Milliseconds between registrations. The router forgets after 50 s. */
  public static final long PERIOD = 20_000;

  private static final long[] PAUSES = {500, 1_000, 2_000, 4_000};
  private static final int WITHDRAWALS = 3;

  /** Weight and lifetime in seconds that a signed registration asks for. */
  public static final int WEIGHT = 1;

  public static final int LIFETIME = 50;

  /** Milliseconds to the next refresh, for each second that the router has granted. */
  private static final int REFRESH_MILLIS = 400;

  private final ServicePrefix prefix;
  private final RegistrationHost signed;
  private final Consumer<ByteBuffer> send;
  private int transaction;
  private int sent; // since the last change
  private int oldAddress;
  private boolean withdraws;
  private long dueAt = Long.MIN_VALUE;

  /**
   * Makes the registrar of a service, which is due at once.
   *
   * @param signed null for the messages of the published stack
   * @param send sends a message to the router
   */
  public Registrar(ServicePrefix prefix, RegistrationHost signed, Consumer<ByteBuffer> send) {
    this.prefix = prefix;
    this.signed = signed;
    this.send = send;
  }

  /** Registers the new address at once, in the place of the old one. */
  public void moved(Endpoint old, long now) {
    if (!withdraws) {
      if (signed != null) {
        signed.again();
      }
      oldAddress = old.isIpv4() ? old.ipv4() : 0;
      begin(now);
    }
  }

  /**
   * Registers at once with another weight. The message of the published stack has none.
   *
   * @param weight 0 to 65,535
   */
  public void weight(int weight, long now) {
    if (!withdraws && signed != null && signed.weight(weight)) {
      begin(now);
    }
  }

  /** Withdraws the service. */
  public void withdraw(long now) {
    withdraws = true;
    begin(now);
  }

  private void begin(long now) {
    sent = 0;
    dueAt = now;
    due(now);
  }

  /** Sends a message if it is time. */
  public void due(long now) {
    if (dueAt > now) {
      return;
    }
    if (sent >= PAUSES.length) {
      oldAddress = 0; // another program may have it by now
    }
    ByteBuffer message = signed == null ? published() : signed();
    if (message != null) {
      send.accept(message);
    }
    long pause = sent < PAUSES.length ? PAUSES[sent] : PERIOD;
    sent++;
    dueAt = isOver() ? Long.MAX_VALUE : now + pause;
  }

  private ByteBuffer published() {
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    boolean again = !withdraws && (oldAddress != 0 || transaction > 0);
    new Registration(withdraws, ++transaction, again, prefix, oldAddress).put(message, 0);
    return message;
  }

  /** Returns the next message. A router that is silent for long may have lost the registration. */
  private ByteBuffer signed() {
    if (withdraws) {
      return signed.withdrawal();
    }
    if (signed.state() == RegistrationHost.State.REGISTERED && sent >= PAUSES.length) {
      signed.again();
      sent = 0;
    }
    return signed.next();
  }

  /**
   * Takes an answer of the router.
   *
   * @return false if the bytes are none
   */
  public boolean take(ByteBuffer bytes, long now) {
    if (signed == null || !signed.take(bytes, bytes.position(), bytes.limit())) {
      return false;
    }
    if (!withdraws) {
      sent = 0;
      dueAt = now + pause();
    }
    return true;
  }

  private long pause() {
    return switch (signed.state()) {
      case SIGNING -> 0;
      case REGISTERED -> (long) REFRESH_MILLIS * signed.granted();
      case ASKING -> isLost() ? 0 : PERIOD;
    };
  }

  /** Tells whether the router only wants to see the signature again. */
  private boolean isLost() {
    return signed.refusal() == RegistrationRefusal.UNKNOWN
        || signed.refusal() == RegistrationRefusal.MOVED
        || signed.refusal() == RegistrationRefusal.LATE;
  }

  /** Tells whether the service is being withdrawn. */
  public boolean withdraws() {
    return withdraws;
  }

  /** Returns the serviceIDs. */
  public ServicePrefix prefix() {
    return prefix;
  }

  /** Tells whether the service is withdrawn for good. */
  public boolean isOver() {
    return withdraws && sent >= WITHDRAWALS;
  }

  /** Returns the time of the next message, {@code Long.MAX_VALUE} if there is none. */
  public long dueAt() {
    return dueAt;
  }
}
