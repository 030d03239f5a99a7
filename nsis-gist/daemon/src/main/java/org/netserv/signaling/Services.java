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
 * The services that a request uses.
 *
 * @param settings supplies the current settings, because policy may be loaded again while a request
 *     is under way
 */
record Services(
    GistService gist,
    ControllerPort controller,
    Timers timers,
    SignalingCounters counters,
    Supplier<ApplicationSettings> settings,
    Starter starter) {
  /** Age up to which a confirmed next hop is not asked again, because requests come in bunches. */
  private static final Duration PATH_AGE = Duration.ofSeconds(1);

  /** Time for three Queries. If none is answered, the known next hop gets the message. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Starts a flow of this node's own. */
  interface Starter {
    /**
     * Starts the flow. The answer comes once, perhaps at once.
     *
     * @param message binary form of an NCM
     */
    void start(byte[] message, int budgetMillis, Consumer<Response> answer);
  }

  void count(Counter counter) {
    counters.count(counter);
  }

  /** Returns the transport that requests and responses need: TLS, or any reliable association. */
  TransferAttributes attributes() {
    return settings.get().secure() ? TransferAttributes.SECURE : TransferAttributes.RELIABLE;
  }

  /**
   * Verifies the current path, because the last refresh may be out of date. The next message waits
   * until the next node confirms that it is the next.
   *
   * @param timeout of the message
   */
  void verifyPath(Mri mri, SessionId session, Duration timeout) {
    Duration half = timeout.dividedBy(2);
    Duration patience = half.compareTo(PATIENCE) < 0 ? half : PATIENCE;
    gist.verifyPeer(NslpMessage.NSLP_ID, mri, session, PATH_AGE, patience);
  }

  /** Keeps routing state for a while after each use. */
  void keepState(Mri mri, SessionId session) {
    Duration lifetime = Duration.ofSeconds(settings.get().stateSeconds());
    gist.setStateLifetime(NslpMessage.NSLP_ID, mri, session, lifetime);
  }
}
