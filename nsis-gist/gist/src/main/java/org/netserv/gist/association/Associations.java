// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.Optional;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/** All messaging associations of a node: proposals, setting up, re-use. */
public interface Associations {
  /** The same as {@link #queryOffer(boolean)} of messages that need no protection. */
  default Offer queryOffer() {
    return queryOffer(false);
  }

  /**
   * Proposal and configuration for a Query: the same for all Queries of this node that want the
   * same. Only stacks that suit the messages are in it (section 5.7.1).
   *
   * @param secure TLS is needed
   * @return null: no stack suits
   */
  Offer queryOffer(boolean secure);

  /**
   * Those for a Response; the listeners are open when this returns. They do not depend on the
   * Query, so that nothing has to be stored (section 5.7.1).
   *
   * @param ipVersion 4 or 6
   * @return null: we accept no connections
   */
  Offer responseOffer(int ipVersion);

  /** A proposal with its configuration. */
  record Offer(StackProposal proposal, StackConfiguration configuration) {}

  /**
   * An association to this peer, same identity and same interface address, that satisfies both
   * (section 4.4.3): not weaker than every own offer, and at least as good as one of theirs.
   *
   * @param theirs null: no other side to satisfy
   */
  Optional<Association> reusable(NetworkLayerInfo peer, StackProposal theirs, boolean secure);

  /**
   * Leaves TLS out for a while where the peer is concerned and nothing asks for TLS, since one side
   * does not admit the other.
   *
   * @return false: all our stacks have TLS
   */
  boolean avoidTls(NetworkLayerInfo peer);

  /**
   * The querier's side: opens the best stack that both sides offer. What was offered is not stored
   * any longer than this takes.
   *
   * @param from our interface address, the source of the connection
   * @throws NoAssociationException no common stack, or the configuration has no port for it
   */
  Association open(java.net.InetAddress from, NetworkLayerInfo peer, Offer theirs, boolean secure)
      throws NoAssociationException;

  /**
   * The responder's side: the first Confirm came on this association and is right, so it is to the
   * peer of that NLI from now on.
   *
   * @param hold the peer's MA-Hold-Time
   */
  void established(Association association, NetworkLayerInfo peer, long hold);

  /** Names who is given the messages, once. */
  void listen(Listener listener);

  /** Takes messages other than MA-Hello. */
  interface Listener {
    /**
     * A message that came in by an association.
     *
     * @param message decoded
     * @param bytes as it came, for an Error
     * @param first whether the association was opened by the peer, and no message on it was right
     *     so far: {@link Associations#established} was not called
     */
    void received(Association association, GistMessage message, byte[] bytes, boolean first);

    /** Bytes that are no message: an Error is due, on the same association. */
    void malformed(
        Association association,
        org.netserv.gist.wire.MalformedMessageException failure,
        byte[] bytes);
  }
}
