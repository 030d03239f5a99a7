// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.netserv.coverage.AddressMachine.State;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.count.PathCounter;
import org.netserv.coverage.path.PathBudget;
import org.netserv.coverage.path.PathPort;

/**
 * Keeps one module on the edge nodes of the addresses that are wanted.
 *
 * <pre>
 *   want(address) -> PROBE along its path -> the verified node nearest to the address
 *        -> the node runs the module already: covered
 *        -> else one SETUP to this node, for all its addresses
 *   each node:    SETUP again after 1/3 to 1/2 of the TTL, along the path of one of its addresses
 *   each address: PROBE again after the check interval, which finds route changes
 *   no address left: REMOVE after a moment
 * </pre>
 *
 * <p>{@link CoveredAddresses} sends the PROBEs and {@link EdgeNodes} the other messages. Everything
 * that is due waits in the {@link Agenda} until the budget has a place. Belongs to the provider's
 * thread. Times are milliseconds since 1970.
 */
public final class Coverage {
  /** Pause before a REMOVE, in which an agent may come back. */
  static final long LINGER = 5_000;

  /**
   * The times of a coverage, in milliseconds, and the bound of its memory.
   *
   * @param ttl of the module
   * @param check from one PROBE of a covered path to the next
   * @param retry until a bare path, or a node that refused, is asked again
   * @param addresses most addresses
   */
  public record Settings(long ttl, long check, long retry, int addresses) {}

  /** Hears of addresses with another node than before, or with none. */
  @FunctionalInterface
  public interface Listener {
    void changed(InetAddress address, long now);
  }

  private final PathBudget budget;
  private final Counters counters;
  private final int mostAddresses;
  private final Agenda agenda;
  private final EdgeNodes nodes;
  private final CoveredAddresses addresses;

  /** A coverage without addresses. */
  public Coverage(
      PathPort port,
      PathBudget budget,
      CoverageStore store,
      Settings settings,
      Counters counters,
      RandomGenerator random,
      Listener listener) {
    this.budget = budget;
    this.counters = counters;
    mostAddresses = settings.addresses();
    agenda = new Agenda(settings, random);
    PathWork work = new PathWork(port, budget, store, counters, agenda);
    nodes = new EdgeNodes(work, settings.ttl(), new Users());
    addresses = new CoveredAddresses(work, nodes, listener);
  }

  /** The addresses, for the nodes, which are there before them. */
  private final class Users implements EdgeUsers {
    @Override
    public void up(CoveredAddress address) {
      addresses.up(address);
    }

    @Override
    public void down(CoveredAddress address) {
      addresses.down(address);
    }

    @Override
    public void again(CoveredAddress address) {
      addresses.again(address);
    }
  }

  /**
   * Takes up the nodes and addresses of the process before this one. Nodes whose TTL is not over
   * count as running and are refreshed soon. The addresses are wanted by nobody yet; those that
   * nobody wants until {@link #settle} go.
   */
  public void restore(long time) {
    agenda.at(time);
    nodes.restore();
    addresses.restore();
  }

  /** Ends the restoration: addresses that nobody has wanted since go. */
  public void settle(long time) {
    agenda.at(time);
    for (CoveredAddress address : List.copyOf(addresses.all())) {
      if (address.wanted == 0) {
        addresses.drop(address);
      }
    }
    List.copyOf(nodes.all()).forEach(nodes::dropIfEmpty);
  }

  /** An agent at this address needs the module. Returns false if there is no room for its path. */
  public boolean want(InetAddress ip, long time) {
    agenda.at(time);
    CoveredAddress address = addresses.find(ip);
    if (address == null) {
      if (addresses.all().size() >= mostAddresses) {
        counters.add(PathCounter.ADDRESSES_FULL);
        return false;
      }
      address = addresses.add(ip);
      agenda.schedule(address, agenda.now());
    }
    address.wanted++;
    return true;
  }

  /** An agent at this address needs the module no more. */
  public void unwant(InetAddress ip, long time) {
    agenda.at(time);
    CoveredAddress address = addresses.find(ip);
    if (address != null && --address.wanted <= 0) {
      addresses.drop(address);
    }
  }

  /**
   * Has the paths of a node's addresses asked now, because its users are not answered. Where the
   * node has left, the next node on the path takes over.
   */
  public void doubt(String nodeId, long time) {
    agenda.at(time);
    EdgeNode node = nodes.find(nodeId);
    if (node != null) {
      List.copyOf(node.addresses).forEach(addresses::again);
    }
  }

  /** Sends what is due, as far as the budget allows. */
  public void turn(long time) {
    agenda.at(time);
    agenda.turn(budget, nodes::act, addresses::probe);
  }

  /** Returns the address of the node that covers an address and runs the module. */
  public Optional<InetAddress> covering(InetAddress ip) {
    return coveringNode(ip).map(node -> node.at);
  }

  /** Returns the id of the node that covers an address and runs the module. */
  public Optional<String> coveringId(InetAddress ip) {
    return coveringNode(ip).map(node -> node.id);
  }

  private Optional<EdgeNode> coveringNode(InetAddress ip) {
    CoveredAddress address = addresses.find(ip);
    return address != null && address.state == State.COVERED && address.node.at != null
        ? Optional.of(address.node)
        : Optional.empty();
  }

  /**
   * A node for people.
   *
   * @param at address at which the node can be reached
   * @param status of its last answer; 0 = none
   * @param until end of the TTL; 0 = never ran
   */
  public record NodeView(
      String id, InetAddress at, String state, int status, int addresses, long until) {
    /** Tells whether the node runs the module. */
    public boolean runs() {
      return state.equals(NodeMachine.State.RUNNING.name());
    }
  }

  /** Returns the nodes, the longest known first. */
  public List<NodeView> nodes() {
    return nodes.all().stream()
        .map(n -> new NodeView(n.id, n.at, n.state.name(), n.status, n.addresses.size(), n.until))
        .toList();
  }

  /** Returns the addresses of a node. */
  public List<InetAddress> addressesOf(String nodeId) {
    EdgeNode node = nodes.find(nodeId);
    return node == null ? List.of() : node.addresses.stream().map(a -> a.ip).toList();
  }

  /** Returns the number of addresses in each state. */
  public Map<String, Integer> states() {
    Map<String, Integer> states = new LinkedHashMap<>();
    for (State state : State.values()) {
      states.put(state.name(), 0);
    }
    addresses.all().forEach(address -> states.merge(address.state.name(), 1, Integer::sum));
    return states;
  }
}
