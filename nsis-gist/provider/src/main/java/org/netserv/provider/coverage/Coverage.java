// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.coverage;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.provider.base.Counter;
import org.netserv.provider.base.Counters;
import org.netserv.provider.coverage.AddressMachine.Event;
import org.netserv.provider.coverage.AddressMachine.State;
import org.netserv.provider.path.PathBudget;
import org.netserv.provider.path.PathPort;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;

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
 * <p>{@link AddressMachine} and {@link NodeMachine} have the states. Everything that is due waits
 * here in the order of its time until the budget has a place; nodes go before addresses. Belongs to
 * the provider's thread; times are milliseconds since 1970.
 */
public final class Coverage {
  /** Pause before a REMOVE, in which an agent may come back. */
  static final long LINGER = 5_000;

  private static final long FIRST_PAUSE = 1_000;
  private static final long LONGEST_PAUSE = 60_000;
  private static final int REMOVES = 3;
  private static final int LEARNINGS = 2;

  /** Statuses of a node that may do it soon: accepted, too many requests, gateway timeout. */
  private static final Set<Integer> LATER = Set.of(202, 429, 504);

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

  /** Anything that is due at a time. */
  private abstract static class Item {
    final long number;
    long due;
    boolean asking;
    int failures;

    Item(long number) {
      this.number = number;
    }
  }

  private static final class Address extends Item {
    final InetAddress ip;
    State state = State.WANTED;
    Node node;
    int wanted;
    boolean nobodyOnce;

    Address(long number, InetAddress ip) {
      super(number);
      this.ip = ip;
    }
  }

  private static final class Node extends Item {
    final String id;
    final Set<Address> addresses = new LinkedHashSet<>();
    NodeMachine.State state = NodeMachine.State.ASKED;
    InetAddress at;

    /**
     * Ends of the sessions in which the node took the module, by their addresses. A node counts
     * each session as a claim on the module, and a REMOVE takes its own session's claim alone.
     */
    final Map<InetAddress, Long> claims = new LinkedHashMap<>();

    /** The address of the last SETUP. */
    InetAddress along;

    long until;
    int status;
    int removes;

    Node(long number, String id) {
      super(number);
      this.id = id;
    }
  }

  private static final Comparator<Item> BY_TIME =
      Comparator.<Item>comparingLong(item -> item.due).thenComparingLong(item -> item.number);

  private final PathPort port;
  private final PathBudget budget;
  private final CoverageStore store;
  private final Settings settings;
  private final Counters counters;
  private final RandomGenerator random;
  private final Listener listener;
  private final Map<InetAddress, Address> addresses = new LinkedHashMap<>();
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final NavigableSet<Item> dueNodes = new TreeSet<>(BY_TIME);
  private final NavigableSet<Item> dueAddresses = new TreeSet<>(BY_TIME);
  private long items;
  private long now;

  /** A coverage without addresses. */
  public Coverage(
      PathPort port,
      PathBudget budget,
      CoverageStore store,
      Settings settings,
      Counters counters,
      RandomGenerator random,
      Listener listener) {
    this.port = port;
    this.budget = budget;
    this.store = store;
    this.settings = settings;
    this.counters = counters;
    this.random = random;
    this.listener = listener;
  }

  /**
   * Takes up the nodes and addresses of the process before this one. Nodes whose TTL is not over
   * count as running and are refreshed soon. The addresses are wanted by nobody yet; those that
   * nobody wants until {@link #settle} go.
   */
  public void restore(long time) {
    now = time;
    store
        .nodes()
        .forEach(
            (id, saved) -> {
              if (saved.until() <= now) {
                store.forgetNode(id);
                return;
              }
              Node node = new Node(items++, id);
              node.state = NodeMachine.State.RUNNING;
              node.until = saved.until();
              node.at = saved.at();
              node.along = saved.along();
              node.claims.put(node.along, node.until);
              nodes.put(id, node);
              schedule(node, soon());
            });
    store
        .addresses()
        .forEach(
            (ip, id) -> {
              Node node = nodes.get(id);
              if (node == null) {
                store.forgetAddress(ip);
                return;
              }
              Address address = new Address(items++, ip);
              addresses.put(ip, address);
              join(address, node);
              address.state = State.COVERED;
              schedule(address, soon());
            });
  }

  /** Ends the restoration: addresses that nobody has wanted since go. */
  public void settle(long time) {
    now = time;
    for (Address address : new ArrayList<>(addresses.values())) {
      if (address.wanted == 0) {
        drop(address);
      }
    }
    for (Node node : new ArrayList<>(nodes.values())) {
      if (node.addresses.isEmpty()) {
        node(node, NodeMachine.Event.EMPTY);
      }
    }
  }

  /** An agent at this address needs the module. Returns false if there is no room for its path. */
  public boolean want(InetAddress ip, long time) {
    now = time;
    Address address = addresses.get(ip);
    if (address == null) {
      if (addresses.size() >= settings.addresses()) {
        counters.add(Counter.ADDRESSES_FULL);
        return false;
      }
      address = new Address(items++, ip);
      addresses.put(ip, address);
      schedule(address, now);
    }
    address.wanted++;
    return true;
  }

  /** An agent at this address needs the module no more. */
  public void unwant(InetAddress ip, long time) {
    now = time;
    Address address = addresses.get(ip);
    if (address != null && --address.wanted <= 0) {
      drop(address);
    }
  }

  /** Sends what is due, as far as the budget allows. */
  public void turn(long time) {
    now = time;
    turn(dueNodes, item -> act((Node) item));
    turn(dueAddresses, item -> probe((Address) item));
  }

  private void turn(NavigableSet<Item> due, Consumer<Item> act) {
    while (!due.isEmpty() && due.first().due <= now && budget.take(now)) {
      act.accept(due.pollFirst());
    }
  }

  /** Returns the node that covers an address and runs the module. */
  public Optional<InetAddress> covering(InetAddress ip) {
    Address address = addresses.get(ip);
    return address != null && address.state == State.COVERED && address.node.at != null
        ? Optional.of(address.node.at)
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
      String id, InetAddress at, String state, int status, int addresses, long until) {}

  /** Returns the nodes, the longest known first. */
  public List<NodeView> nodes() {
    return nodes.values().stream()
        .map(n -> new NodeView(n.id, n.at, n.state.name(), n.status, n.addresses.size(), n.until))
        .toList();
  }

  /** Returns the addresses of a node. */
  public List<InetAddress> addressesOf(String nodeId) {
    Node node = nodes.get(nodeId);
    return node == null ? List.of() : node.addresses.stream().map(a -> a.ip).toList();
  }

  /** Returns the number of addresses in each state. */
  public Map<String, Integer> states() {
    Map<String, Integer> states = new LinkedHashMap<>();
    for (State state : State.values()) {
      states.put(state.name(), 0);
    }
    addresses.values().forEach(address -> states.merge(address.state.name(), 1, Integer::sum));
    return states;
  }

  // Addresses.

  private void probe(Address address) {
    counters.add(Counter.PROBES);
    address.asking = true;
    port.probe(
        address.ip,
        (answer, failure) -> {
          budget.release();
          address.asking = false;
          if (addresses.get(address.ip) == address) {
            probed(address, answer);
          }
        });
  }

  private void probed(Address address, PathAnswer answer) {
    List<NodeAnswer> candidates = answer == null ? List.of() : candidates(answer);
    Node node = chosen(candidates);
    if (node != null) {
      address.failures = 0;
      address.nobodyOnce = false;
      boolean running = node.state == NodeMachine.State.RUNNING;
      move(address, node, running ? Event.FOUND_RUNNING : Event.FOUND_PENDING);
      return;
    }
    boolean silent = candidates.isEmpty();
    boolean complete = answer != null && answer.end().last();
    if (!complete || (silent && learning(address, answer)) || unsure(address)) {
      counters.add(Counter.PROBES_LOST);
      address(address, Event.UNANSWERED);
    } else {
      counters.add(Counter.PATHS_BARE);
      address.failures = 0;
      Node before = address.node;
      leave(address);
      renew(before, address);
      address(address, Event.FOUND_NOBODY);
    }
  }

  /** A covered path on which nobody answers is asked twice, because packets may be lost. */
  private boolean unsure(Address address) {
    boolean first = address.node != null && !address.nobodyOnce;
    address.nobodyOnce = true;
    return first;
  }

  /** A node that the list of known nodes has only just learned is verified when asked again. */
  private static boolean learning(Address address, PathAnswer answer) {
    return address.failures < LEARNINGS
        && answer.nodes().stream().anyMatch(n -> n.signer() == Signer.UNKNOWN);
  }

  /** Returns the verified nodes, the nearest to the address first. */
  private List<NodeAnswer> candidates(PathAnswer answer) {
    List<NodeAnswer> candidates = new ArrayList<>();
    for (NodeAnswer node : answer.nodes()) {
      switch (node.signer()) {
        case VERIFIED -> candidates.add(0, node);
        case UNKNOWN -> counters.add(Counter.NODES_UNKNOWN);
        case FORGED -> counters.add(Counter.NODES_FORGED);
      }
    }
    return candidates;
  }

  /** Returns the first node that does not refuse the module; null = none. */
  private Node chosen(List<NodeAnswer> candidates) {
    for (NodeAnswer candidate : candidates) {
      Node node = nodes.get(candidate.nodeId());
      if (node == null) {
        node = new Node(items++, candidate.nodeId());
        nodes.put(node.id, node);
        schedule(node, now);
      }
      node.at = candidate.address();
      if (node.state != NodeMachine.State.REFUSED) {
        return node;
      }
    }
    return null;
  }

  private void move(Address address, Node node, Event event) {
    Node before = address.node;
    if (before != node) {
      leave(address);
      join(address, node);
      if (before != null) {
        counters.add(Counter.PATHS_MOVED);
        renew(before, address);
      }
    }
    address(address, event);
  }

  /**
   * Has a node refreshed along another path at once when the path of its session has left it. Until
   * then no REMOVE would reach it.
   */
  private void renew(Node node, Address gone) {
    boolean running = node != null && node.state == NodeMachine.State.RUNNING && !node.asking;
    if (running && gone.ip.equals(node.along)) {
      schedule(node, now);
    }
  }

  private void join(Address address, Node node) {
    address.node = node;
    node.addresses.add(address);
    node(node, NodeMachine.Event.WANTED);
  }

  private void leave(Address address) {
    Node node = address.node;
    if (node != null) {
      address.node = null;
      node.addresses.remove(address);
      store.forgetAddress(address.ip);
      if (node.addresses.isEmpty()) {
        node(node, NodeMachine.Event.EMPTY);
      }
    }
  }

  private void drop(Address address) {
    addresses.remove(address.ip);
    dueAddresses.remove(address);
    leave(address);
  }

  /** The one place in which an address changes its state. */
  private void address(Address address, Event event) {
    State before = address.state;
    address.state = AddressMachine.next(before, event);
    long next =
        switch (address.state) {
          case WANTED -> pause(address);
          case PENDING, COVERED ->
              event == Event.UNANSWERED ? pause(address) : spread(settings.check());
          case BARE -> event == Event.UNANSWERED ? pause(address) : spread(settings.retry());
        };
    if (!address.asking) {
      schedule(address, now + next);
    }
    if (address.state == State.COVERED) {
      store.address(address.ip, address.node.id);
    }
    if (before != address.state || event == Event.FOUND_RUNNING) {
      listener.changed(address.ip, now);
    }
  }

  // Nodes.

  private void act(Node node) {
    if (node.until > 0 && node.until <= now) {
      counters.add(Counter.NODES_EXPIRED);
      node.until = 0;
      store.forgetNode(node.id);
      budget.release();
      node(node, NodeMachine.Event.TTL_OVER);
      return;
    }
    switch (node.state) {
      case ASKED, RUNNING -> setup(node);
      case LEAVING -> remove(node);
      case REFUSED, GONE -> {
        budget.release();
        node(node, NodeMachine.Event.RETRY);
      }
    }
  }

  private void setup(Node node) {
    Address along = next(node);
    if (along == null) {
      budget.release();
      node(node, NodeMachine.Event.EMPTY);
      return;
    }
    boolean first = node.state == NodeMachine.State.ASKED;
    counters.add(first ? Counter.SETUPS : Counter.REFRESHES);
    dueNodes.remove(node);
    node.asking = true;
    node.along = along.ip;
    port.setup(
        node.id,
        along.ip,
        (answer, failure) -> {
          budget.release();
          node.asking = false;
          if (nodes.get(node.id) == node) {
            answered(node, along, answer);
          }
        });
  }

  /** Returns the address of the last SETUP as long as it is answered, else the next one. */
  private static Address next(Node node) {
    if (node.addresses.isEmpty()) {
      return null;
    }
    for (Address address : node.addresses) {
      if (node.failures == 0 && address.ip.equals(node.along)) {
        return address;
      }
    }
    Address first = node.addresses.iterator().next();
    node.addresses.remove(first);
    node.addresses.add(first);
    return first;
  }

  private void answered(Node node, Address along, PathAnswer answer) {
    NodeAnswer said = answer == null ? null : answer.node(node.id).orElse(null);
    if (said == null) {
      boolean off = answer != null && answer.end().last();
      counters.add(off ? Counter.SETUPS_OFF_PATH : Counter.SETUPS_LOST);
      if (off && along.node == node) {
        again(along);
      }
      node(node, off ? NodeMachine.Event.OFF_PATH : NodeMachine.Event.LOST);
      return;
    }
    node.status = said.status();
    if (said.signer() != Signer.VERIFIED) {
      counters.add(said.signer() == Signer.FORGED ? Counter.NODES_FORGED : Counter.NODES_UNKNOWN);
      node(node, NodeMachine.Event.REFUSED);
    } else if (LATER.contains(said.status())) {
      counters.add(Counter.SETUPS_LOST);
      node(node, NodeMachine.Event.LOST);
    } else if (said.done()) {
      node.at = said.address();
      node.until = now + settings.ttl();
      node.claims.values().removeIf(end -> end <= now);
      node.claims.put(along.ip, node.until);
      store.node(node.id, new CoverageStore.Saved(node.at, node.until, along.ip));
      node(node, NodeMachine.Event.DONE);
    } else {
      counters.add(Counter.SETUPS_REFUSED);
      node(node, NodeMachine.Event.REFUSED);
    }
  }

  /** Has an address probed now. */
  private void again(Address address) {
    if (!address.asking) {
      schedule(address, now);
    }
  }

  private void remove(Node node) {
    node.claims.values().removeIf(end -> end <= now);
    if (node.claims.isEmpty()) {
      budget.release();
      node(node, NodeMachine.Event.TTL_OVER);
      return;
    }
    InetAddress along = node.claims.keySet().iterator().next();
    counters.add(Counter.REMOVES);
    dueNodes.remove(node);
    node.asking = true;
    port.remove(
        node.id,
        along,
        (answer, failure) -> {
          budget.release();
          node.asking = false;
          if (nodes.get(node.id) == node) {
            removed(node, along, answer);
          }
        });
  }

  private void removed(Node node, InetAddress along, PathAnswer answer) {
    boolean heard = answer != null && answer.node(node.id).isPresent();
    if (heard) {
      node.claims.remove(along);
    } else {
      counters.add(Counter.REMOVES_LOST);
    }
    if (node.state != NodeMachine.State.LEAVING) {
      // An agent came back while the REMOVE was under way, so the module is wanted again.
      schedule(node, now);
      return;
    }
    boolean off = answer != null && answer.end().last();
    if (!heard && (off || ++node.removes >= REMOVES)) {
      node.claims.remove(along);
      node.removes = 0;
    }
    if (node.claims.isEmpty()) {
      node(node, heard ? NodeMachine.Event.REMOVED : NodeMachine.Event.OFF_PATH);
    } else if (heard) {
      schedule(node, now);
    } else {
      node(node, NodeMachine.Event.LOST);
    }
  }

  /** The one place in which a node changes its state. */
  private void node(Node node, NodeMachine.Event event) {
    NodeMachine.State before = node.state;
    node.state = NodeMachine.next(before, event);
    boolean changed = before != node.state;
    switch (node.state) {
      case ASKED -> asked(node, event, changed);
      case RUNNING -> {
        if (event != NodeMachine.Event.WANTED) {
          boolean good = event == NodeMachine.Event.DONE;
          node.failures = good ? 0 : node.failures;
          plan(node, good ? refresh() : pause(node));
        }
      }
      case REFUSED -> plan(node, spread(settings.retry()));
      case LEAVING -> {
        node.removes = changed ? 0 : node.removes;
        plan(node, changed ? LINGER : pause(node));
      }
      case GONE -> forget(node);
    }
    tell(node, before);
  }

  private void asked(Node node, NodeMachine.Event event, boolean changed) {
    if (changed) {
      node.failures = 0;
      plan(node, 0);
    } else if (event != NodeMachine.Event.WANTED) {
      plan(node, pause(node));
    }
  }

  /** Tells the addresses of a node that it runs the module now, or no more. */
  private void tell(Node node, NodeMachine.State before) {
    boolean up = node.state == NodeMachine.State.RUNNING;
    boolean down = node.state == NodeMachine.State.REFUSED || node.state == NodeMachine.State.GONE;
    boolean expired = before == NodeMachine.State.RUNNING && node.state == NodeMachine.State.ASKED;
    if (node.state == before || !(up || down || expired)) {
      return;
    }
    for (Address address : new ArrayList<>(node.addresses)) {
      if (up) {
        address(address, Event.NODE_UP);
      } else {
        node.addresses.remove(address);
        address.node = null;
        store.forgetAddress(address.ip);
        address.failures = 0;
        address(address, Event.NODE_DOWN);
        again(address);
      }
    }
    if (expired && node.addresses.isEmpty()) {
      node(node, NodeMachine.Event.EMPTY);
    }
  }

  private void forget(Node node) {
    nodes.remove(node.id);
    dueNodes.remove(node);
    store.forgetNode(node.id);
  }

  private void plan(Node node, long delay) {
    if (!node.asking) {
      long at = now + delay;
      boolean runs = node.until > now && node.state == NodeMachine.State.RUNNING;
      schedule(node, runs ? Math.min(at, node.until) : at);
    }
  }

  // Times.

  private void schedule(Item item, long at) {
    NavigableSet<Item> due = item instanceof Node ? dueNodes : dueAddresses;
    due.remove(item);
    item.due = at;
    due.add(item);
  }

  /** A pause that doubles with each failure in a row. */
  private long pause(Item item) {
    long pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(item.failures, 6));
    item.failures++;
    return pause + random.nextLong(pause / 2);
  }

  private long refresh() {
    return settings.ttl() / 3 + random.nextLong(Math.max(1, settings.ttl() / 6));
  }

  private long spread(long time) {
    return time - random.nextLong(Math.max(1, time / 8));
  }

  private long soon() {
    return now + random.nextLong(FIRST_PAUSE);
  }
}
