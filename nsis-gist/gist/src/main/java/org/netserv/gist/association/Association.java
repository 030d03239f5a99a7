// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;

/**
 * A messaging association as routing state sees it. It is open, or on its way: what is sent before
 * it is connected waits in it, in order.
 */
public interface Association {
  /** Distinguishes associations for as long as the process lives. */
  long id();

  /** Sends a message after those before it. */
  void send(GistMessage message);

  /** Whether the peer is authenticated and bytes are protected: TLS. */
  boolean secure();

  /** Whether the connection is there. */
  boolean connected();

  /** Returns true when the peer has sent anything by it. */
  boolean heard();

  /** Whom the handshake found at the other end; null before a first message was right. */
  NetworkLayerInfo peer();

  /** Identity of the peer by certificate, empty without one. */
  String peerName();

  /** Routing state that uses it; it stays open for as long as there is one. */
  void attach(User user);

  /** Ends the use; the last one lets it become idle. */
  void detach(User user);

  /** Ends it now, with the reason for the log; its users are told. */
  void abort(String reason);

  /** A Querying-SM or Responding-SM that sends by an association. */
  interface User {
    /**
     * It is connected: what was sent before is with the transport from now on. Called once, for an
     * association that was not yet connected when it was attached.
     */
    default void associationConnected(Association association) {}

    /** It failed: messages sent and not yet acknowledged may be lost. Called once. */
    void associationFailed(Association association, String reason);

    /**
     * It was ended because the peer is not, or no longer, on the list of authorised peers: what
     * used it has to end, too (RFC 5971 section 4.4.2). Called once, instead of {@link
     * #associationFailed}.
     */
    default void associationRefused(Association association, String reason) {
      associationFailed(association, reason);
    }

    /**
     * It could not be set up because one side's list of authorised peers does not have the other:
     * nothing that was sent by it has arrived. Called once, instead of {@link #associationFailed}.
     */
    default void associationUnwelcome(Association association, String reason) {
      associationRefused(association, reason);
    }
  }
}
