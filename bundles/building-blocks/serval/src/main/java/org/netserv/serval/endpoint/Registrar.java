// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.ServicePrefix;

/**
 * Registers one service with a router. The router does not answer. So the first registrations
 * follow each other soon, in case some are lost, and so do the withdrawals.
 */
final class Registrar {
  /** Milliseconds between registrations. The router forgets after 50 s. */
  static final long PERIOD = 20_000;

  private static final long[] PAUSES = {500, 1_000, 2_000, 4_000};
  private static final int WITHDRAWALS = 3;

  private final ServicePrefix prefix;
  private final Consumer<ByteBuffer> send;
  private int transaction;
  private int sent; // since the last change
  private int oldAddress;
  private boolean withdraws;
  private long dueAt = Long.MIN_VALUE;

  /**
   * Makes the registrar of a service, which is due at once.
   *
   * @param send sends a message to the router
   */
  Registrar(ServicePrefix prefix, Consumer<ByteBuffer> send) {
    this.prefix = prefix;
    this.send = send;
  }

  /** Registers the new address at once, in the place of the old one. */
  void moved(Endpoint old, long now) {
    if (!withdraws) {
      oldAddress = old.isIpv4() ? old.ipv4() : 0;
      begin(now);
    }
  }

  /** Withdraws the service. */
  void withdraw(long now) {
    withdraws = true;
    begin(now);
  }

  private void begin(long now) {
    sent = 0;
    dueAt = now;
    due(now);
  }

  void due(long now) {
    if (dueAt > now) {
      return;
    }
    if (sent >= PAUSES.length) {
      oldAddress = 0; // another program may have it by now
    }
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    boolean again = !withdraws && (oldAddress != 0 || transaction > 0);
    new Registration(withdraws, ++transaction, again, prefix, oldAddress).put(message, 0);
    send.accept(message);
    long pause = sent < PAUSES.length ? PAUSES[sent] : PERIOD;
    sent++;
    dueAt = isOver() ? Long.MAX_VALUE : now + pause;
  }

  /** Tells whether the service is withdrawn for good. */
  boolean isOver() {
    return withdraws && sent >= WITHDRAWALS;
  }

  long dueAt() {
    return dueAt;
  }
}
