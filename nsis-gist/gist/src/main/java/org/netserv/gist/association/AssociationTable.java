// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.net.InetAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.netserv.gist.GistSettings;
import org.netserv.gist.port.LinkFactory;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.StackProposal;

/** All messaging associations of a node. On the GIST thread; no I/O of its own. */
public final class AssociationTable implements Associations {
  /**
   * A table; it is the acceptor of these links from now on.
   *
   * @param random of hello times and Hello-IDs
   */
  public AssociationTable(
      GistSettings settings,
      LinkFactory links,
      Timers timers,
      RandomGenerator random,
      AssociationCounters counters) {
    Objects.requireNonNull(settings);
    Objects.requireNonNull(links);
    Objects.requireNonNull(timers);
    Objects.requireNonNull(random);
    Objects.requireNonNull(counters);
  }

  @Override
  public Offer queryOffer(boolean secure) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Offer responseOffer(int ipVersion) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<Association> reusable(
      NetworkLayerInfo peer, StackProposal theirs, boolean secure) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Association open(InetAddress from, NetworkLayerInfo peer, Offer theirs, boolean secure)
      throws NoAssociationException {
    throw new UnsupportedOperationException();
  }

  @Override
  public void established(Association association, NetworkLayerInfo peer, long hold) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void listen(Listener listener) {
    throw new UnsupportedOperationException();
  }

  /** Ends all associations; what was sent is still delivered, users are not told. */
  public void close() {
    // Nothing is open yet.
  }
}
