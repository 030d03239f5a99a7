// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.netserv.packet.Tally;
import org.netserv.translator.core.Admission;
import org.netserv.translator.core.Limits;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.RelayTransitions.Event;

/** The open relays with their limits and counters. Any thread. */
final class Relays {
  private static final long STEP_MILLIS = 20;

  private final Admission admission = new Admission();
  private final Set<Relay> open = ConcurrentHashMap.newKeySet();
  private final Tally<Outcome> tally;

  Relays(Tally<Outcome> tally) {
    this.tally = tally;
  }

  /** Gives a connection of this source a place, or counts why there is none. */
  boolean admit(InetAddress source, Limits limits) {
    Outcome refusal = admission.enter(source, limits);
    if (refusal != null) {
      count(refusal);
    }
    return refusal == null;
  }

  void add(Relay relay) {
    open.add(relay);
  }

  /** Forgets a relay that is over, and counts the reason. */
  void remove(Relay relay, Outcome reason) {
    open.remove(relay);
    admission.leave(relay.source());
    count(reason);
  }

  /** Counts. A counter has one writer at a time, and relays have two threads. */
  synchronized void count(Outcome outcome) {
    tally.count(outcome);
  }

  int size() {
    return open.size();
  }

  /** Waits until all are over, and breaks off the rest when the time is. */
  void drain(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!open.isEmpty() && System.nanoTime() - end < 0) {
      if (!pause()) {
        break;
      }
    }
    List.copyOf(open).forEach(relay -> relay.on(Event.DRAINED, Outcome.DRAINED));
  }

  private static boolean pause() {
    try {
      Thread.sleep(STEP_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
