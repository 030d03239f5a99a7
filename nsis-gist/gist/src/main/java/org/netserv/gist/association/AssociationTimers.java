// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import org.netserv.gist.association.AssociationMachine.State;
import org.netserv.gist.port.Timers.Timer;

/** The timers of one association. {@link MessagingAssociation} explains their purposes. */
final class AssociationTimers {
  /** Least hold time of a peer, ms. With a shorter one we would send without end. */
  static final long HOLD_MIN = 1000;

  private final AssociationContext context;
  private final MessagingAssociation association;

  private long peerHold;
  private long lastSent;
  private long lastHeard;
  private long lastUsed;
  private long helloInterval;

  private long lastAsked;

  /** Hello-ID of the last question; the next one is one more. */
  private int helloId;

  private Timer setup;
  private Timer hello;
  private Timer silence;
  private Timer linger;

  AssociationTimers(AssociationContext context, MessagingAssociation association) {
    this.context = context;
    this.association = association;
    helloId = context.random().nextInt();
    lastHeard = now();
    lastAsked = lastHeard;
  }

  /** Sets the MA-Hold-Time of the peer, ms. There are hellos from then on. */
  void peerHold(long millis) {
    peerHold = Math.max(HOLD_MIN, millis);
  }

  void startSetup() {
    setup = context.timers().schedule(context.limits().setupMillis(), association::setupExpired);
  }

  void stopSetup() {
    setup = cancel(setup);
  }

  // Hello.

  void startHello() {
    if (peerHold == 0) {
      return; // the peer of an accepted association has not introduced itself
    }
    cancel(hello);
    lastSent = now();
    nextHello();
  }

  void stopHello() {
    hello = cancel(hello);
  }

  void sent() {
    lastSent = now();
  }

  /**
   * Starts the hello timer. Its time is random in 1/2 to 3/4 of the peer's hold time, after the
   * last message sent (section 4.4.5).
   */
  private void nextHello() {
    helloInterval = context.random().nextLong(peerHold / 2, peerHold * 3 / 4 + 1);
    hello = context.timers().schedule(helloInterval, this::helloFired);
  }

  private void helloFired() {
    long rest = lastSent + helloInterval - now();
    if (rest > 0) {
      hello = context.timers().schedule(rest, this::helloFired);
      return;
    }
    // Before the event, because the event may end the association and must find the timer to
    // cancel.
    nextHello();
    association.helloDue();
  }

  // Silence.

  void restartSilence() {
    heard();
    cancel(silence);
    watch(askAfter());
  }

  void heard() {
    lastHeard = now();
  }

  /** Returns whether the Hello-ID answers our last question. */
  boolean answers(int theirs) {
    return theirs == helloId;
  }

  private long askAfter() {
    return context.hold() * 3 / 4;
  }

  /**
   * Asks the peer for a sign of life, or ends the association. Silence counts only after a
   * question, because after a pause of this host the peer's messages may still wait.
   */
  private void silenceFired() {
    boolean idle = association.state() == State.IDLE;
    long quiet = now() - lastHeard;
    long bound = idle ? context.hold() : askAfter();
    if (quiet < bound) {
      watch(bound - quiet);
    } else if (idle) {
      association.silent(); // an idle association waits for MA-Hello and does not ask for it
    } else if (lastAsked <= lastHeard) {
      lastAsked = now();
      helloId = helloId == -1 ? 1 : helloId + 1; // never 0
      watch(context.hold() - askAfter());
      association.ask(helloId);
    } else {
      association.silent();
    }
  }

  private void watch(long delay) {
    silence = context.timers().schedule(delay, this::silenceFired);
  }

  // Linger.

  /** Notes that the association carries messages, or was just set up. */
  void used() {
    lastUsed = now();
    if (linger == null) {
      linger = context.timers().schedule(context.hold(), this::lingerFired);
    }
  }

  private void lingerFired() {
    linger = null;
    long rest = lastUsed + context.hold() - now();
    if (rest > 0) {
      linger = context.timers().schedule(rest, this::lingerFired);
    } else {
      association.lingered();
    }
  }

  void stop() {
    setup = cancel(setup);
    hello = cancel(hello);
    silence = cancel(silence);
    linger = cancel(linger);
  }

  private long now() {
    return context.timers().now();
  }

  private static Timer cancel(Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
    return null;
  }
}
