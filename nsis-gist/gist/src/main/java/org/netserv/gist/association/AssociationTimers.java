// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import org.netserv.gist.association.AssociationMachine.State;
import org.netserv.gist.port.Timers.Timer;

/** The timers of one association; what each is for stands in {@link MessagingAssociation}. */
final class AssociationTimers {
  /** A peer with a shorter hold time would make us send without end. */
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

  /** MA-Hold-Time of the peer, ms; from then on there are hellos. */
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
      return; // an accepted association whose peer has not introduced itself
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

  /** Random in 1/2 to 3/4 of the peer's hold time, after the last thing sent (section 4.4.5). */
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
    // Before the event: that may end the association, and must find the timer to cancel.
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

  /** Whether this is the answer to our last question. */
  boolean answers(int theirs) {
    return theirs == helloId;
  }

  private long askAfter() {
    return context.hold() * 3 / 4;
  }

  /** Silence counts when the peer was asked: after a pause of this host its messages may wait. */
  private void silenceFired() {
    boolean idle = association.state() == State.IDLE;
    long quiet = now() - lastHeard;
    long bound = idle ? context.hold() : askAfter();
    if (quiet < bound) {
      watch(bound - quiet);
    } else if (idle) {
      association.silent(); // it waits for MA-Hello, it does not ask for it
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

  /** It carries messages, or was just set up. */
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
