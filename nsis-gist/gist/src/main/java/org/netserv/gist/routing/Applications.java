// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.port.Timers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The applications. GIST tells them of an event in order, after the event is done with, and never
 * within a call of theirs. They may therefore call GIST from every callback. Only {@link #check} is
 * answered on the spot.
 */
final class Applications {
  private static final Logger LOG = LoggerFactory.getLogger(Applications.class);

  private final Timers timers;
  private final GistCounters counters;
  private final Map<Integer, SignalingApplication> byNslpId = new HashMap<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private int events;
  private boolean running;
  private boolean scheduled;

  Applications(Timers timers, GistCounters counters) {
    this.timers = timers;
    this.counters = counters;
  }

  void register(SignalingApplication application) {
    int nslpId = application.nslpId();
    if (nslpId < 1 || nslpId > 0xffff || byNslpId.putIfAbsent(nslpId, application) != null) {
      throw new IllegalArgumentException("NSLPID " + nslpId + " is not free");
    }
  }

  boolean hosts(int nslpId) {
    return byNslpId.containsKey(nslpId);
  }

  /** Returns the router alert value of the application's Queries. */
  int routerAlert(int nslpId) {
    return byNslpId.get(nslpId).routerAlert();
  }

  /**
   * Returns whether a packet with this router alert value (-1 = none) may be meant for one of our
   * applications.
   */
  boolean wantsRouterAlert(int value) {
    return value <= 0 || byNslpId.values().stream().anyMatch(a -> a.routerAlert() == value);
  }

  /** Asks an application whether it wants to be a peer. An application that fails does not. */
  PeeringDecision check(ReceivedMessage query) {
    try {
      PeeringDecision decision = byNslpId.get(query.nslpId()).check(query);
      return decision == null ? PeeringDecision.PASS : decision;
    } catch (RuntimeException | Error e) {
      LOG.error("application {} failed to judge a Query", query.nslpId(), e);
      return PeeringDecision.PASS;
    }
  }

  void deliver(ReceivedMessage message) {
    counters.count(Counter.DELIVERED);
    tell(message.nslpId(), application -> application.received(message));
  }

  /**
   * Tells an application the outcome of a request. Without a handle the application is not told.
   */
  void status(int nslpId, Object handle, MessageStatus status, String detail) {
    if (status != MessageStatus.SENT) {
      counters.count(Counter.REQUEST_FAILED);
    }
    if (handle != null) {
      tell(nslpId, application -> application.messageStatus(handle, status, detail));
    }
  }

  void notify(NetworkNotification notification) {
    tell(notification.nslpId(), application -> application.notified(notification));
  }

  private interface Call {
    void to(SignalingApplication application);
  }

  private void tell(int nslpId, Call call) {
    SignalingApplication application = byNslpId.get(nslpId);
    later.add(() -> guarded(application, call));
    if (events == 0) {
      runSoon();
    }
  }

  /** Begins an event from outside. The event's news is told when the event {@link #end ends}. */
  void begin() {
    events++;
  }

  void end() {
    if (--events == 0 && !later.isEmpty()) {
      if (running) {
        runSoon();
      } else {
        run();
      }
    }
  }

  private void runSoon() {
    if (!scheduled) {
      scheduled = true;
      timers.schedule(
          0,
          () -> {
            scheduled = false;
            run();
          });
    }
  }

  private static void guarded(SignalingApplication application, Call call) {
    try {
      call.to(application);
    } catch (RuntimeException | Error e) { // an Error of one application must not end GIST
      LOG.error("application {} failed", application.nslpId(), e);
    }
  }

  /**
   * Runs the calls that wait. Calls added meanwhile wait for the next turn, so that no application
   * is kept out.
   */
  private void run() {
    running = true;
    for (int left = later.size(); left > 0; left--) {
      later.remove().run();
    }
    running = false;
    if (!later.isEmpty()) {
      runSoon();
    }
  }
}
