// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.time.Duration;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/** The primitives that a signaling application calls (RFC 5971 appendix B). */
public interface GistService {
  /**
   * Longest NSLP message in bytes: an object's length has 12 bits and counts words (RFC 5971
   * appendix A.2), and a message carries one NSLP-Data object. What is longer the application has
   * to cut itself.
   */
  int MAX_PAYLOAD = 4 * 4095;

  /** Hands over messages for an NSLPID from now on. */
  void register(SignalingApplication application);

  /**
   * SendMessage (B.1). What becomes of it is told to {@link SignalingApplication#messageStatus}
   * when the request has a handle.
   *
   * @throws IllegalArgumentException a value that GIST must refuse: hop count 0, ourselves as the
   *     peer, a message longer than {@link #MAX_PAYLOAD}, an NSLPID that is not registered. Being
   *     the end of the flow is no such value: it is told as LAST_NODE
   */
  void sendMessage(SendRequest request);

  /** SetStateLifetime (B.5). {@code session} null = all; zero = no further interest. */
  void setStateLifetime(int nslpId, Mri mri, SessionId session, Duration lifetime);

  /**
   * InvalidateRoutingState (B.6).
   *
   * @param nslpId -1 = of all applications
   * @param status BAD or TENTATIVE
   * @param payload for the next Query; null = none
   * @param urgent rediscover at once, not with the next message
   */
  void invalidateRoutingState(
      int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent);

  /**
   * Wants the peer of a session to be the one that the path has now; the RFC has no such primitive.
   * When the last handshake is longer ago than {@code age}, another begins, and messages wait for
   * it: then they go to whoever answered. Nobody within {@code patience}: they go to the peer that
   * is known, while the search goes on. Does nothing without routing state, for which every message
   * waits anyway, and where this node is the one that answers Queries.
   */
  void verifyPeer(int nslpId, Mri mri, SessionId session, Duration age, Duration patience);
}
