// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.coverage.path.PathPort;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** Paths with nodes, named a, b and so on, without a network. Answers wait for their delivery. */
final class FakePaths implements PathPort {
  /** Nodes on the path to an address, the nearest to this host first. */
  final Map<InetAddress, List<String>> paths = new HashMap<>();

  final List<String> log = new ArrayList<>();
  private final Deque<Runnable> answers = new ArrayDeque<>();

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

  private void answer(Listener listener, InetAddress to, String only) {
    List<NodeAnswer> nodes = new ArrayList<>();
    for (String id : paths.getOrDefault(to, List.of())) {
      if (only == null || only.equals(id)) {
        InetAddress at = ip("10.0.0." + (id.charAt(0) - 'a' + 1));
        nodes.add(new NodeAnswer(nodes.size() + 1, id, at, 200, "", Signer.VERIFIED));
      }
    }
    PathAnswer answer = new PathAnswer(PathEnd.PORT_UNREACHABLE, "", nodes, null);
    answers.add(() -> listener.answered(answer, ""));
  }

  @Override
  public void probe(InetAddress to, Listener listener) {
    log.add("probe " + Addresses.print(to));
    answer(listener, to, null);
  }

  @Override
  public void setup(String nodeId, InetAddress to, Listener listener) {
    log.add("setup " + nodeId + " " + Addresses.print(to));
    answer(listener, to, nodeId);
  }

  @Override
  public void remove(String nodeId, InetAddress to, Listener listener) {
    log.add("remove " + nodeId + " " + Addresses.print(to));
    answer(listener, to, nodeId);
  }

  void deliver() {
    for (int waiting = answers.size(); waiting > 0; waiting--) {
      answers.poll().run();
    }
  }

  long count(String prefix) {
    return log.stream().filter(line -> line.startsWith(prefix)).count();
  }
}
