// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.netserv.gist.GistService;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.signaling.SignalingCounters.Counter;

/**
 * What a request needs from outside.
 *
 * @param settings of now: policy may be loaded again while a request is under way
 */
record Services(
    GistService gist,
    ControllerPort controller,
    Timers timers,
    SignalingCounters counters,
    Supplier<ApplicationSettings> settings,
    Starter starter) {
  /** A next hop confirmed this long ago is not asked again: requests come in bunches. */
  private static final Duration PATH_AGE = Duration.ofSeconds(1);

  /** Three Queries: when none is answered, the next hop that is known gets the message. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Starts a flow of this node's own. */
  interface Starter {
    /**
     * Starts it; the answer comes once, perhaps at once.
     *
     * @param message binary form of an NCM
     */
    void start(byte[] message, int budgetMillis, Consumer<Response> answer);
  }

  void count(Counter counter) {
    counters.count(counter);
  }

  /** How requests and responses travel. */
  TransferAttributes attributes() {
    return settings.get().secure() ? TransferAttributes.SECURE : TransferAttributes.RELIABLE;
  }

  /**
   * Wants the path that there is now, not the one of the last refresh: what is sent next waits for
   * the next node to say that it is the next.
   *
   * @param timeout of the message
   */
  void verifyPath(Mri mri, SessionId session, Duration timeout) {
    Duration half = timeout.dividedBy(2);
    Duration patience = half.compareTo(PATIENCE) < 0 ? half : PATIENCE;
    gist.verifyPeer(NslpMessage.NSLP_ID, mri, session, PATH_AGE, patience);
  }

  /** Routing state is wanted for a while after each use. */
  void keepState(Mri mri, SessionId session) {
    Duration lifetime = Duration.ofSeconds(settings.get().stateSeconds());
    gist.setStateLifetime(NslpMessage.NSLP_ID, mri, session, lifetime);
  }
}
