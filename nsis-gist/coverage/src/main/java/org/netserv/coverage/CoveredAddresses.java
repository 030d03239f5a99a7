// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.coverage.AddressMachine.Event;
import org.netserv.coverage.AddressMachine.State;
import org.netserv.coverage.count.PathCounter;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;

/**
 * Carries out {@link AddressMachine} for the addresses of a coverage: PROBEs, which find each
 * address's node. Belongs to the coverage's thread.
 */
final class CoveredAddresses implements EdgeUsers {
  private static final int LEARNINGS = 2;

  private final PathWork work;
  private final Agenda agenda;
  private final EdgeNodes nodes;
  private final Coverage.Listener listener;
  private final Map<InetAddress, CoveredAddress> addresses = new LinkedHashMap<>();

  /** Has no addresses. */
  CoveredAddresses(PathWork work, EdgeNodes nodes, Coverage.Listener listener) {
    this.work = work;
    this.agenda = work.agenda();
    this.nodes = nodes;
    this.listener = listener;
  }

  /** Takes up the addresses of the process before this one, of nodes that are still known. */
  void restore() {
    work.store().addresses().forEach(this::restore);
  }

  private void restore(InetAddress ip, String nodeId) {
    EdgeNode node = nodes.find(nodeId);
    if (node == null) {
      work.store().forgetAddress(ip);
      return;
    }
    CoveredAddress address = add(ip);
    join(address, node);
    address.state = State.COVERED;
    agenda.schedule(address, agenda.soon());
  }

  /** Returns an address; null = it is not known. */
  CoveredAddress find(InetAddress ip) {
    return addresses.get(ip);
  }

  Collection<CoveredAddress> all() {
    return addresses.values();
  }

  /** Adds an address, whose path is not asked yet. */
  CoveredAddress add(InetAddress ip) {
    CoveredAddress address = new CoveredAddress(agenda.number(), ip);
    addresses.put(ip, address);
    return address;
  }

  void drop(CoveredAddress address) {
    addresses.remove(address.ip);
    agenda.cancel(address);
    leave(address);
  }

  /** Asks the path of an address that is due. A place in the budget has been taken for it. */
  void probe(CoveredAddress address) {
    work.count(PathCounter.PROBES);
    address.asking = true;
    work.port()
        .probe(
            address.ip,
            (answer, failure) -> {
              work.budget().release();
              address.asking = false;
              if (addresses.get(address.ip) == address) {
                probed(address, answer);
              }
            });
  }

  private void probed(CoveredAddress address, PathAnswer answer) {
    List<NodeAnswer> candidates = answer == null ? List.of() : candidates(answer);
    EdgeNode node = chosen(candidates);
    if (node != null) {
      address.found();
      move(address, node, node.runs() ? Event.FOUND_RUNNING : Event.FOUND_PENDING);
      return;
    }
    boolean silent = candidates.isEmpty();
    boolean complete = answer != null && answer.end().last();
    if (!complete || (silent && learning(address, answer)) || address.unsure()) {
      work.count(PathCounter.PROBES_LOST);
      on(address, Event.UNANSWERED);
    } else {
      work.count(PathCounter.PATHS_BARE);
      address.failures = 0;
      EdgeNode before = address.node;
      leave(address);
      nodes.renew(before, address);
      on(address, Event.FOUND_NOBODY);
    }
  }

  /** A node that the list of known nodes has only just learned is verified when asked again. */
  private static boolean learning(CoveredAddress address, PathAnswer answer) {
    return address.failures < LEARNINGS
        && answer.nodes().stream().anyMatch(n -> n.signer() == Signer.UNKNOWN);
  }

  /** Returns the verified nodes, the nearest to the address first. */
  private List<NodeAnswer> candidates(PathAnswer answer) {
    List<NodeAnswer> candidates = new ArrayList<>();
    for (NodeAnswer node : answer.nodes()) {
      switch (node.signer()) {
        case VERIFIED -> candidates.add(0, node);
        case UNKNOWN -> work.count(PathCounter.NODES_UNKNOWN);
        case FORGED -> work.count(PathCounter.NODES_FORGED);
      }
    }
    return candidates;
  }

  /** Returns the first node that does not refuse the module; null = none. */
  private EdgeNode chosen(List<NodeAnswer> candidates) {
    for (NodeAnswer candidate : candidates) {
      EdgeNode node = nodes.of(candidate);
      if (node.state != NodeMachine.State.REFUSED) {
        return node;
      }
    }
    return null;
  }

  private void move(CoveredAddress address, EdgeNode node, Event event) {
    EdgeNode before = address.node;
    if (before != node) {
      leave(address);
      join(address, node);
      if (before != null) {
        work.count(PathCounter.PATHS_MOVED);
        nodes.renew(before, address);
      }
    }
    on(address, event);
  }

  private void join(CoveredAddress address, EdgeNode node) {
    address.node = node;
    nodes.join(node, address);
  }

  private void leave(CoveredAddress address) {
    EdgeNode node = address.node;
    if (node != null) {
      address.node = null;
      nodes.leave(node, address);
    }
  }

  /** The one place in which an address changes its state. */
  private void on(CoveredAddress address, Event event) {
    State before = address.state;
    address.state = AddressMachine.next(before, event);
    long next =
        switch (address.state) {
          case WANTED -> agenda.pause(address);
          case PENDING, COVERED ->
              event == Event.UNANSWERED ? agenda.pause(address) : agenda.check();
          case BARE -> event == Event.UNANSWERED ? agenda.pause(address) : agenda.retry();
        };
    if (!address.asking) {
      agenda.schedule(address, agenda.now() + next);
    }
    if (address.state == State.COVERED) {
      work.store().address(address.ip, address.node.id);
    }
    if (before != address.state || event == Event.FOUND_RUNNING) {
      listener.changed(address.ip, agenda.now());
    }
  }

  @Override
  public void up(CoveredAddress address) {
    on(address, Event.NODE_UP);
  }

  @Override
  public void down(CoveredAddress address) {
    address.failures = 0;
    on(address, Event.NODE_DOWN);
    again(address);
  }

  @Override
  public void again(CoveredAddress address) {
    if (!address.asking) {
      agenda.schedule(address, agenda.now());
    }
  }
}
