// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.time.Duration;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/** The primitives that a signaling application calls (RFC 5971 appendix B). */
public interface GistService {
  /**
   * Longest NSLP message in bytes. An object's length has 12 bits and counts words (RFC 5971
   * appendix A.2), and a message carries one NSLP-Data object. The application cuts longer messages
   * itself.
   */
  int MAX_PAYLOAD = 4 * 4095;

  /** Delivers messages for the application's NSLPID from now on. */
  void register(SignalingApplication application);

  /**
   * Sends a message (SendMessage, B.1). If the request has a handle, {@link
   * SignalingApplication#messageStatus} reports the outcome.
   *
   * @throws IllegalArgumentException a value that GIST must refuse: hop count 0, ourselves as the
   *     peer, a message longer than {@link #MAX_PAYLOAD}, an NSLPID that is not registered. At the
   *     end of the flow nothing is thrown, and the status is LAST_NODE
   */
  void sendMessage(SendRequest request);

  /**
   * Sets the lifetime of routing state (SetStateLifetime, B.5). {@code session} null = all; zero =
   * no further interest.
   */
  void setStateLifetime(int nslpId, Mri mri, SessionId session, Duration lifetime);

  /**
   * Invalidates routing state (InvalidateRoutingState, B.6).
   *
   * @param nslpId -1 = of all applications
   * @param status BAD or TENTATIVE
   * @param payload for the next Query; null = none
   * @param urgent rediscover at once, not with the next message
   */
  void invalidateRoutingState(
      int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent);

  /**
   * Verifies that the peer of a session is still the next on the path. The RFC has no such
   * primitive. When the last handshake is longer ago than {@code age}, a new handshake begins.
   * Messages wait for it and then go to the peer that answered. If no peer answers within {@code
   * patience}, they go to the known peer while the search goes on. Does nothing without routing
   * state, because every message waits for a handshake then. Does nothing either where this node
   * answers the Queries of the session.
   */
  void verifyPeer(int nslpId, Mri mri, SessionId session, Duration age, Duration patience);
}
