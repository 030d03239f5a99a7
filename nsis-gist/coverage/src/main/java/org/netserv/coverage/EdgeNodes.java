// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.coverage.NodeMachine.Event;
import org.netserv.coverage.NodeMachine.State;
import org.netserv.coverage.count.PathCounter;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;

/**
 * Carries out {@link NodeMachine} for the nodes of a coverage: SETUP, refresh and REMOVE. Belongs
 * to the coverage's thread.
 */
final class EdgeNodes {
  private static final int REMOVES = 3;

  /** Statuses of a node that may do it soon: accepted, too many requests, gateway timeout. */
  private static final Set<Integer> LATER = Set.of(202, 429, 504);

  private final PathWork work;
  private final Agenda agenda;
  private final long ttl;
  private final EdgeUsers users;
  private final Map<String, EdgeNode> nodes = new LinkedHashMap<>();

  /** Knows no nodes. */
  EdgeNodes(PathWork work, long ttl, EdgeUsers users) {
    this.work = work;
    this.agenda = work.agenda();
    this.ttl = ttl;
    this.users = users;
  }

  /** Takes up the nodes of the process before this one. Nodes whose TTL is over are forgotten. */
  void restore() {
    work.store().nodes().forEach(this::restore);
  }

  private void restore(String id, CoverageStore.Saved saved) {
    if (saved.until() <= agenda.now()) {
      work.store().forgetNode(id);
      return;
    }
    EdgeNode node = new EdgeNode(agenda.number(), id);
    node.state = State.RUNNING;
    node.at = saved.at();
    node.along = saved.along();
    node.claimed(node.along, agenda.now(), saved.until());
    nodes.put(id, node);
    agenda.schedule(node, agenda.soon());
  }

  /** Returns a node by its id; null = it is not known. */
  EdgeNode find(String id) {
    return nodes.get(id);
  }

  /** Returns the nodes, the longest known first. */
  Collection<EdgeNode> all() {
    return nodes.values();
  }

  /** Returns the node of an answer, which may be new, and can be reached where the answer says. */
  EdgeNode of(NodeAnswer answer) {
    EdgeNode node = nodes.get(answer.nodeId());
    if (node == null) {
      node = new EdgeNode(agenda.number(), answer.nodeId());
      nodes.put(node.id, node);
      agenda.schedule(node, agenda.now());
    }
    node.at = answer.address();
    return node;
  }

  /** Gives the node one more address. */
  void join(EdgeNode node, CoveredAddress address) {
    node.addresses.add(address);
    on(node, Event.WANTED);
  }

  /** Takes an address from the node. */
  void leave(EdgeNode node, CoveredAddress address) {
    node.addresses.remove(address);
    work.store().forgetAddress(address.ip);
    dropIfEmpty(node);
  }

  void dropIfEmpty(EdgeNode node) {
    if (node.addresses.isEmpty()) {
      on(node, Event.EMPTY);
    }
  }

  /**
   * Has a node refreshed along another path at once when the path of its session has left it. Until
   * then no REMOVE would reach it.
   */
  void renew(EdgeNode node, CoveredAddress gone) {
    boolean running = node != null && node.runs() && !node.asking;
    if (running && gone.ip.equals(node.along)) {
      agenda.schedule(node, agenda.now());
    }
  }

  /** Acts on a node that is due. A place in the budget has been taken for it. */
  void act(EdgeNode node) {
    if (node.until > 0 && node.until <= agenda.now()) {
      work.count(PathCounter.NODES_EXPIRED);
      node.until = 0;
      work.store().forgetNode(node.id);
      unsent(node, Event.TTL_OVER);
      return;
    }
    switch (node.state) {
      case ASKED, RUNNING -> setup(node);
      case LEAVING -> remove(node);
      case REFUSED, GONE -> unsent(node, Event.RETRY);
    }
  }

  /** Gives the place in the budget back, because nothing is sent. */
  private void unsent(EdgeNode node, Event event) {
    work.budget().release();
    on(node, event);
  }

  private void setup(EdgeNode node) {
    CoveredAddress along = node.next();
    if (along == null) {
      unsent(node, Event.EMPTY);
      return;
    }
    work.count(node.state == State.ASKED ? PathCounter.SETUPS : PathCounter.REFRESHES);
    node.along = along.ip;
    begin(node);
    work.port()
        .setup(
            node.id,
            along.ip,
            (answer, failure) -> {
              if (end(node)) {
                answered(node, along, answer);
              }
            });
  }

  private void begin(EdgeNode node) {
    agenda.cancel(node);
    node.asking = true;
  }

  /** Ends a message. Returns false if the node has been forgotten meanwhile. */
  private boolean end(EdgeNode node) {
    work.budget().release();
    node.asking = false;
    return nodes.get(node.id) == node;
  }

  private void answered(EdgeNode node, CoveredAddress along, PathAnswer answer) {
    NodeAnswer said = answer == null ? null : answer.node(node.id).orElse(null);
    if (said == null) {
      silent(node, along, answer != null && answer.end().last());
      return;
    }
    node.status = said.status();
    if (said.signer() != Signer.VERIFIED) {
      work.count(
          said.signer() == Signer.FORGED ? PathCounter.NODES_FORGED : PathCounter.NODES_UNKNOWN);
      on(node, Event.REFUSED);
    } else if (LATER.contains(said.status())) {
      work.count(PathCounter.SETUPS_LOST);
      on(node, Event.LOST);
    } else if (said.done()) {
      node.at = said.address();
      node.claimed(along.ip, agenda.now(), agenda.now() + ttl);
      work.store().node(node.id, new CoverageStore.Saved(node.at, node.until, along.ip));
      on(node, Event.DONE);
    } else {
      work.count(PathCounter.SETUPS_REFUSED);
      on(node, Event.REFUSED);
    }
  }

  /**
   * Handles a SETUP that the node has not answered.
   *
   * @param off true if the path was answered to its end, so the node is not on it
   */
  private void silent(EdgeNode node, CoveredAddress along, boolean off) {
    work.count(off ? PathCounter.SETUPS_OFF_PATH : PathCounter.SETUPS_LOST);
    if (off && along.node == node) {
      users.again(along);
    }
    on(node, off ? Event.OFF_PATH : Event.LOST);
  }

  private void remove(EdgeNode node) {
    node.dropClaims(agenda.now());
    if (node.claims.isEmpty()) {
      unsent(node, Event.TTL_OVER);
      return;
    }
    InetAddress along = node.claims.keySet().iterator().next();
    work.count(PathCounter.REMOVES);
    begin(node);
    work.port()
        .remove(
            node.id,
            along,
            (answer, failure) -> {
              if (end(node)) {
                removed(node, along, answer);
              }
            });
  }

  private void removed(EdgeNode node, InetAddress along, PathAnswer answer) {
    boolean heard = answer != null && answer.node(node.id).isPresent();
    if (heard) {
      node.claims.remove(along);
    } else {
      work.count(PathCounter.REMOVES_LOST);
    }
    if (node.state != State.LEAVING) {
      // An agent came back while the REMOVE was under way, so the module is wanted again.
      agenda.schedule(node, agenda.now());
      return;
    }
    boolean off = answer != null && answer.end().last();
    if (!heard && (off || ++node.removes >= REMOVES)) {
      node.claims.remove(along);
      node.removes = 0;
    }
    if (node.claims.isEmpty()) {
      on(node, heard ? Event.REMOVED : Event.OFF_PATH);
    } else if (heard) {
      agenda.schedule(node, agenda.now());
    } else {
      on(node, Event.LOST);
    }
  }

  /** The one place in which a node changes its state. */
  private void on(EdgeNode node, Event event) {
    State before = node.state;
    node.state = NodeMachine.next(before, event);
    boolean changed = before != node.state;
    switch (node.state) {
      case ASKED -> asked(node, event, changed);
      case RUNNING -> running(node, event);
      case REFUSED -> plan(node, agenda.retry());
      case LEAVING -> {
        node.removes = changed ? 0 : node.removes;
        plan(node, changed ? Coverage.LINGER : agenda.pause(node));
      }
      case GONE -> forget(node);
    }
    tell(node, before);
  }

  private void asked(EdgeNode node, Event event, boolean changed) {
    if (changed) {
      node.failures = 0;
      plan(node, 0);
    } else if (event != Event.WANTED) {
      plan(node, agenda.pause(node));
    }
  }

  private void running(EdgeNode node, Event event) {
    if (event == Event.DONE) {
      node.failures = 0;
      plan(node, agenda.refresh());
    } else if (event != Event.WANTED) {
      plan(node, agenda.pause(node));
    }
  }

  private void plan(EdgeNode node, long delay) {
    if (!node.asking) {
      long at = agenda.now() + delay;
      boolean runs = node.until > agenda.now() && node.runs();
      agenda.schedule(node, runs ? Math.min(at, node.until) : at);
    }
  }

  /** Tells the addresses of a node that it runs the module now, or no more. */
  private void tell(EdgeNode node, State before) {
    boolean up = node.runs();
    boolean down = node.state == State.REFUSED || node.state == State.GONE;
    boolean expired = before == State.RUNNING && node.state == State.ASKED;
    if (node.state == before || !(up || down || expired)) {
      return;
    }
    List<CoveredAddress> told = new ArrayList<>(node.addresses);
    if (up) {
      told.forEach(users::up);
      return;
    }
    for (CoveredAddress address : told) {
      node.addresses.remove(address);
      address.node = null;
      work.store().forgetAddress(address.ip);
      users.down(address);
    }
    if (expired) {
      dropIfEmpty(node);
    }
  }

  private void forget(EdgeNode node) {
    nodes.remove(node.id);
    agenda.cancel(node);
    work.store().forgetNode(node.id);
  }
}
