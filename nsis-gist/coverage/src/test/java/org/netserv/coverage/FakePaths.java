// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.coverage.path.PathPort;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/**
 * Paths with nodes that run modules, without a network. Answers wait until {@link #deliver}, as
 * answers of a network do.
 */
final class FakePaths implements PathPort {
  /** Nodes on the path to an address, the nearest to this host first. */
  final Map<InetAddress, List<String>> paths = new HashMap<>();

  final Set<String> running = new LinkedHashSet<>();
  final Set<String> refusing = new LinkedHashSet<>();
  final Set<String> unknown = new LinkedHashSet<>();
  final Map<String, Set<InetAddress>> claimed = new HashMap<>();
  final List<String> log = new ArrayList<>();
  boolean silent;
  private final Deque<Runnable> answers = new ArrayDeque<>();
  int most;

  static InetAddress ip(String text) {
    try {
      return Addresses.parse(text);
    } catch (BadValueException e) {
      throw new IllegalArgumentException(e);
    }
  }

  void path(String to, String... nodes) {
    paths.put(ip(to), List.of(nodes));
  }

  private List<String> to(InetAddress to) {
    return paths.getOrDefault(to, List.of());
  }

  private NodeAnswer node(String id, int hop, int status) {
    Signer signer = unknown.contains(id) ? Signer.UNKNOWN : Signer.VERIFIED;
    return new NodeAnswer(hop, id, ip("10.0.0." + (id.charAt(0) - 'a' + 1)), status, "", signer);
  }

  private void answer(Listener listener, List<NodeAnswer> nodes) {
    boolean lost = silent;
    PathEnd end = lost ? PathEnd.TIMED_OUT : PathEnd.PORT_UNREACHABLE;
    List<NodeAnswer> seen = lost ? List.of() : nodes;
    answers.add(() -> listener.answered(new PathAnswer(end, "", seen, null), ""));
    most = Math.max(most, answers.size());
  }

  @Override
  public void probe(InetAddress to, Listener listener) {
    log.add("probe " + Addresses.print(to));
    List<NodeAnswer> nodes = new ArrayList<>();
    for (String id : to(to)) {
      nodes.add(node(id, nodes.size() + 1, 200));
    }
    answer(listener, nodes);
  }

  @Override
  public void setup(String nodeId, InetAddress to, Listener listener) {
    log.add("setup " + nodeId + " " + Addresses.print(to));
    List<NodeAnswer> nodes = new ArrayList<>();
    if (to(to).contains(nodeId) && !silent) {
      boolean refuses = refusing.contains(nodeId);
      nodes.add(node(nodeId, 1, refuses ? 403 : 200));
      if (!refuses) {
        running.add(nodeId);
        claimed.computeIfAbsent(nodeId, id -> new LinkedHashSet<>()).add(to);
      }
    }
    answer(listener, nodes);
  }

  @Override
  public void remove(String nodeId, InetAddress to, Listener listener) {
    log.add("remove " + nodeId + " " + Addresses.print(to));
    List<NodeAnswer> nodes = new ArrayList<>();
    if (to(to).contains(nodeId) && !silent) {
      Set<InetAddress> left = claimed.getOrDefault(nodeId, new LinkedHashSet<>());
      boolean mine = left.remove(to);
      nodes.add(node(nodeId, 1, mine && left.isEmpty() ? 200 : 404));
      if (left.isEmpty()) {
        running.remove(nodeId);
      }
    }
    answer(listener, nodes);
  }

  /** Delivers the answers that wait now. */
  void deliver() {
    for (int waiting = answers.size(); waiting > 0; waiting--) {
      answers.poll().run();
    }
  }

  int waiting() {
    return answers.size();
  }

  /** Maps nodes to the number of sessions that have a claim on the module. */
  Map<String, Integer> claims() {
    Map<String, Integer> claims = new HashMap<>();
    claimed.forEach((node, sessions) -> claims.put(node, sessions.size()));
    return claims;
  }

  long count(String prefix) {
    return log.stream().filter(line -> line.startsWith(prefix)).count();
  }

  /** A store in memory. */
  static final class Memory implements CoverageStore {
    final Map<String, Saved> nodes = new LinkedHashMap<>();
    final Map<InetAddress, String> addresses = new LinkedHashMap<>();

    @Override
    public Map<String, Saved> nodes() {
      return Map.copyOf(nodes);
    }

    @Override
    public Map<InetAddress, String> addresses() {
      return Map.copyOf(addresses);
    }

    @Override
    public void node(String nodeId, Saved node) {
      nodes.put(nodeId, node);
    }

    @Override
    public void forgetNode(String nodeId) {
      nodes.remove(nodeId);
    }

    @Override
    public void address(InetAddress address, String nodeId) {
      addresses.put(address, nodeId);
    }

    @Override
    public void forgetAddress(InetAddress address) {
      addresses.remove(address);
    }
  }
}
