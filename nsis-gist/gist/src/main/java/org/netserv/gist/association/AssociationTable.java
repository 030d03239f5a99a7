// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MalformedMessageException;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.StackProposal;
import org.netserv.process.FairSlots;
import org.netserv.process.SourceKey;

/**
 * All messaging associations of a node. The table runs on the GIST thread and does no I/O of its
 * own.
 *
 * <p>An association with a known peer is found by the peer's identity and interface address (RFC
 * 5971 section 4.4.3). An association that a peer opened is unestablished until its first Confirm
 * was right. Few unestablished associations are kept, and the oldest of the source with most has to
 * make room.
 *
 * <p>When two nodes connect to each other at once there are two associations. Each session stays on
 * the association of its own handshake, and new sessions take the older association.
 */
public final class AssociationTable implements Associations {
  private final LinkFactory links;
  private final StackPolicy policy;
  private final AssociationContext context;
  private final Map<Long, MessagingAssociation> all = new LinkedHashMap<>();
  private final Map<PeerKey, List<MessagingAssociation>> byPeer = new HashMap<>();

  private final FairSlots<MessagingAssociation> unestablished;
  private final WithoutTls withoutTls;
  private Listener listener;
  private long lastId;

  /**
   * Creates a table with the usual limits. The table is the acceptor of these links from now on.
   *
   * @param random of hello times and Hello-IDs
   */
  public AssociationTable(
      GistSettings settings,
      LinkFactory links,
      Timers timers,
      RandomGenerator random,
      AssociationCounters counters) {
    this(settings, AssociationLimits.DEFAULT, links, timers, random, counters);
  }

  /** Creates a table with other limits. */
  public AssociationTable(
      GistSettings settings,
      AssociationLimits limits,
      LinkFactory links,
      Timers timers,
      RandomGenerator random,
      AssociationCounters counters) {
    this.links = links;
    policy = new StackPolicy(links, settings.secureOnly(), settings.hold());
    unestablished = new FairSlots<>(limits.unestablished());
    context = new AssociationContext(settings.hold(), limits, timers, random, counters);
    withoutTls = new WithoutTls(timers);
    links.accept(this::accepted);
  }

  @Override
  public Offer queryOffer(boolean secure) {
    return policy.queryOffer(secure);
  }

  /** The ports are the same for both IP versions. */
  @Override
  public Offer responseOffer(int ipVersion) {
    return policy.responseOffer();
  }

  /** Returns the strongest association that suits, or the oldest of equal ones. */
  @Override
  public Optional<Association> reusable(
      NetworkLayerInfo peer, StackProposal theirs, boolean secure) {
    return byPeer.getOrDefault(PeerKey.of(peer), List.of()).stream()
        .filter(a -> policy.suits(a.stack(), theirs, secure))
        .filter(a -> secure || a.connected() || !a.secure() || !withoutTls.contains(peer))
        .max(Comparator.comparingInt(a -> StackPolicy.strength(a.stack())))
        .map(a -> a);
  }

  @Override
  public Association open(InetAddress from, NetworkLayerInfo peer, Offer theirs, boolean secure)
      throws NoAssociationException {
    boolean plain = !secure && withoutTls.contains(peer);
    StackPolicy.Choice choice = policy.choose(theirs, secure, plain);
    InetAddress to = peer.address();
    if (to.isAnyLocalAddress()
        || to.isMulticastAddress()
        || (to.isLoopbackAddress() && (from == null || !from.isLoopbackAddress()))) {
      // A forged Response must not make us talk to our own services.
      throw new NoAssociationException("no address of a peer: " + to.getHostAddress());
    }
    if (all.size() >= context.limits().associations()) {
      context.count(Counter.REFUSED_FULL);
      throw new NoAssociationException("as many associations as this node holds");
    }
    long hold = theirs.configuration().holdMillis();
    MessagingAssociation association =
        new MessagingAssociation(++lastId, choice.stack(), peer, hold, context, events);
    add(association);
    index(association);
    context.count(Counter.ASSOCIATION_OPENED);
    association.link(
        links.connect(choice.stack(), from, new InetSocketAddress(to, choice.port()), association));
    return association;
  }

  @Override
  public boolean avoidTls(NetworkLayerInfo peer) {
    if (!policy.plain()) {
      return false;
    }
    withoutTls.add(peer);
    return true;
  }

  /** Does nothing when the association is established already, or gone. */
  @Override
  public void established(Association association, NetworkLayerInfo peer, long hold) {
    MessagingAssociation accepted = all.get(association.id());
    if (accepted == null || !forget(accepted)) {
      return;
    }
    accepted.establish(peer, hold);
    index(accepted);
    context.count(Counter.ASSOCIATION_ESTABLISHED);
  }

  @Override
  public void listen(Listener theListener) {
    listener = theListener;
  }

  /** Ends all associations. Messages sent before are still delivered. Users are not told. */
  public void close() {
    List.copyOf(all.values()).forEach(MessagingAssociation::close);
  }

  /** Returns the number of associations, in any state. */
  public int size() {
    return all.size();
  }

  private Link.Listener accepted(Link link) {
    if (all.size() >= limits().associations()) {
      return refuse(link, Counter.REFUSED_FULL);
    }
    List<String> source = SourceKey.of(link.remote().getAddress()).path();
    if (!unestablished.admits(source)) {
      return refuse(link, Counter.REFUSED_PER_ADDRESS);
    }
    MessagingAssociation association = new MessagingAssociation(++lastId, link, context, events);
    unestablished.take(association, source, AssociationTable::giveWay);
    add(association);
    context.count(Counter.ASSOCIATION_ACCEPTED);
    return association;
  }

  private static void giveWay(MessagingAssociation association) {
    association.end(Counter.UNESTABLISHED_EVICTED, "made room for another source");
  }

  private Link.Listener refuse(Link link, Counter why) {
    context.count(why);
    link.close();
    return NOBODY;
  }

  private AssociationLimits limits() {
    return context.limits();
  }

  private void add(MessagingAssociation association) {
    all.put(association.id(), association);
    context.counters().open(all.size());
  }

  private void index(MessagingAssociation association) {
    byPeer
        .computeIfAbsent(PeerKey.of(association.peer()), k -> new ArrayList<>(1))
        .add(association);
  }

  /** Releases the slot of an unestablished association. Returns whether the association had one. */
  private boolean forget(MessagingAssociation association) {
    boolean was = unestablished.holds(association);
    unestablished.release(association);
    return was;
  }

  private final MessagingAssociation.Table events =
      new MessagingAssociation.Table() {
        @Override
        public void received(
            MessagingAssociation from,
            GistMessage message,
            MalformedMessageException failure,
            byte[] bytes) {
          if (failure != null) {
            listener.malformed(from, failure, bytes);
          } else {
            listener.received(from, message, bytes, from.peer() == null);
          }
        }

        @Override
        public void ended(MessagingAssociation association) {
          all.remove(association.id());
          context.counters().open(all.size());
          forget(association);
          if (association.peer() != null) {
            byPeer.computeIfPresent(
                PeerKey.of(association.peer()),
                (key, same) -> same.remove(association) && same.isEmpty() ? null : same);
          }
        }
      };

  private static final Link.Listener NOBODY =
      new Link.Listener() {
        @Override
        public void connected(Link link) {
          // The link was refused.
        }

        @Override
        public void received(byte[] message) {
          // The link was refused.
        }

        @Override
        public void closed(String reason) {
          // The link was refused.
        }
      };
}
