// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;

/**
 * A messaging association as routing state sees it. The association is connected, or still
 * connecting. Messages that were sent before it is connected wait in it, in order.
 */
public interface Association {
  /** Returns a number that distinguishes associations for as long as the process lives. */
  long id();

  /** Sends a message. Messages keep their order. */
  void send(GistMessage message);

  /** Returns true when TLS authenticates the peer and protects the bytes. */
  boolean secure();

  /** Returns true when the connection is up. */
  boolean connected();

  /** Returns true when the peer has sent anything by it. */
  boolean heard();

  /**
   * Returns the peer that the handshake found at the other end. Null before a first message was
   * right.
   */
  NetworkLayerInfo peer();

  /** Returns the identity of the peer by certificate, empty without one. */
  String peerName();

  /** Adds a user. The association stays open for as long as it has a user. */
  void attach(User user);

  /** Removes a user. Without users the association becomes idle. */
  void detach(User user);

  /** Ends the association now, with the reason for the log. Its users are told. */
  void abort(String reason);

  /** A Querying-SM or Responding-SM that sends by an association. */
  interface User {
    /**
     * Called when the association is connected. Messages sent before are with the transport from
     * now on. Called once, for an association that was not yet connected when it was attached.
     */
    default void associationConnected(Association association) {}

    /**
     * Called once when the association failed. Messages sent and not yet acknowledged may be lost.
     */
    void associationFailed(Association association, String reason);

    /**
     * Called when the association was ended because the peer is not, or no longer, on the list of
     * authorised peers. Its users have to end, too (RFC 5971 section 4.4.2). Called once, instead
     * of {@link #associationFailed}.
     */
    default void associationRefused(Association association, String reason) {
      associationFailed(association, reason);
    }

    /**
     * Called when the association could not be set up because one side's list of authorised peers
     * does not have the other. None of its messages has arrived. Called once, instead of {@link
     * #associationFailed}.
     */
    default void associationUnwelcome(Association association, String reason) {
      associationRefused(association, reason);
    }
  }
}
