// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.Optional;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/** All messaging associations of a node. Makes proposals, sets associations up, and reuses them. */
public interface Associations {
  /** Returns the offer of {@link #queryOffer(boolean)} for messages that need no protection. */
  default Offer queryOffer() {
    return queryOffer(false);
  }

  /**
   * Returns the proposal and configuration for a Query. All Queries of this node with the same
   * needs have the same offer. The offer has only stacks that suit the messages (section 5.7.1).
   *
   * @param secure TLS is needed
   * @return null: no stack suits
   */
  Offer queryOffer(boolean secure);

  /**
   * Returns the proposal and configuration for a Response. The listeners are open when this method
   * returns. The offer does not depend on the Query, so that nothing has to be stored (section
   * 5.7.1).
   *
   * @param ipVersion 4 or 6
   * @return null: we accept no connections
   */
  Offer responseOffer(int ipVersion);

  /** A proposal with its configuration. */
  record Offer(StackProposal proposal, StackConfiguration configuration) {}

  /**
   * Returns an association to the peer, with the same identity and interface address, that
   * satisfies both sides (section 4.4.3). It is at least as strong as one of our offers, and as one
   * of theirs.
   *
   * @param theirs null: no other side to satisfy
   */
  Optional<Association> reusable(NetworkLayerInfo peer, StackProposal theirs, boolean secure);

  /**
   * Leaves out TLS for a while toward the peer where TLS is not required, because one side does not
   * admit the other.
   *
   * @return false: all our stacks have TLS
   */
  boolean avoidTls(NetworkLayerInfo peer);

  /**
   * Opens the best stack that both sides offer, on the querier's side. The offer is not stored any
   * longer than this takes.
   *
   * @param from our interface address, the source of the connection
   * @throws NoAssociationException no common stack, or the configuration has no port for it
   */
  Association open(java.net.InetAddress from, NetworkLayerInfo peer, Offer theirs, boolean secure)
      throws NoAssociationException;

  /**
   * Records, on the responder's side, that the first Confirm on this association is right. The
   * association leads to the peer of that NLI from now on.
   *
   * @param hold the peer's MA-Hold-Time
   */
  void established(Association association, NetworkLayerInfo peer, long hold);

  /** Sets the listener that takes the messages, once. */
  void listen(Listener listener);

  /** Takes messages other than MA-Hello. */
  interface Listener {
    /**
     * Takes a message that came in by an association.
     *
     * @param message decoded
     * @param bytes as they came, for an Error
     * @param first whether the peer opened the association and {@link Associations#established} was
     *     not called yet, because no message on it was right so far
     */
    void received(Association association, GistMessage message, byte[] bytes, boolean first);

    /** Takes bytes that are no message. An Error is due, on the same association. */
    void malformed(
        Association association,
        org.netserv.gist.wire.MalformedMessageException failure,
        byte[] bytes);
  }
}
