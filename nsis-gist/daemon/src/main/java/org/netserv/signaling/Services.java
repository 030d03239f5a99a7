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

  /** Routing state is wanted for a while after each use. */
  void keepState(Mri mri, SessionId session) {
    Duration lifetime = Duration.ofSeconds(settings.get().stateSeconds());
    gist.setStateLifetime(NslpMessage.NSLP_ID, mri, session, lifetime);
  }
}
