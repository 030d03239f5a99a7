// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.agents;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.base.Counter;

/**
 * The agents that are known, each until a time. Bounded: an agent above the bound is refused and
 * counted. Belongs to the provider's thread; times are milliseconds since 1970.
 */
public final class AgentTable {
  /** Hears of changes, during the call that makes them. */
  public interface Listener {
    /** Called for a new agent. */
    void came(Agent agent, long now);

    /** Called each time a known or new agent is heard of. */
    void heard(Agent agent, long until, long now);

    /** Called when an agent is known no more. */
    void went(Agent agent, long now);
  }

  /** An entry of the queue of ends; stale when the agent has another end by now. */
  private record End(long time, Agent agent) {}

  private final int most;
  private final Counters counters;
  private final Listener listener;
  private final Map<Agent, Long> until = new LinkedHashMap<>();
  private final Map<InetAddress, Set<Agent>> byAddress = new HashMap<>();
  private final PriorityQueue<End> ends =
      new PriorityQueue<>((a, b) -> Long.compare(a.time(), b.time()));

  /**
   * An empty table.
   *
   * @param most agents
   */
  public AgentTable(int most, Counters counters, Listener listener) {
    this.most = most;
    this.counters = counters;
    this.listener = listener;
  }

  /** Remembers an agent until a time. Returns false if the table is full. */
  public boolean heard(Agent agent, long end, long now) {
    boolean known = until.containsKey(agent);
    if (!known && until.size() >= most) {
      counters.add(Counter.AGENTS_FULL);
      return false;
    }
    until.put(agent, end);
    byAddress.computeIfAbsent(agent.address(), a -> new LinkedHashSet<>()).add(agent);
    queue(new End(end, agent));
    if (!known) {
      listener.came(agent, now);
    }
    listener.heard(agent, end, now);
    return true;
  }

  /** Adds an end, and forgets stale ends when there are more of them than agents. */
  private void queue(End end) {
    ends.add(end);
    if (ends.size() > 2 * until.size() + 64) {
      ends.clear();
      until.forEach((agent, time) -> ends.add(new End(time, agent)));
    }
  }

  /** Forgets an agent, if it is known. */
  public void gone(Agent agent, long now) {
    if (until.remove(agent) != null) {
      Set<Agent> there = byAddress.get(agent.address());
      there.remove(agent);
      if (there.isEmpty()) {
        byAddress.remove(agent.address());
      }
      listener.went(agent, now);
    }
  }

  /** Forgets the agents whose time is over. */
  public void expire(long now) {
    while (!ends.isEmpty() && ends.peek().time() <= now) {
      End end = ends.poll();
      Long current = until.get(end.agent());
      if (current != null && current <= now) {
        counters.add(Counter.AGENTS_EXPIRED);
        gone(end.agent(), now);
      }
    }
  }

  public boolean knows(Agent agent) {
    return until.containsKey(agent);
  }

  /** Returns the end of a known agent's time; 0 = not known. */
  public long until(Agent agent) {
    return until.getOrDefault(agent, 0L);
  }

  /** Returns a copy of the agents at an address. */
  public List<Agent> at(InetAddress address) {
    return new ArrayList<>(byAddress.getOrDefault(address, Set.of()));
  }

  /** Returns a copy of all agents, the longest known first. */
  public List<Agent> all() {
    return new ArrayList<>(until.keySet());
  }

  public int size() {
    return until.size();
  }

  /** Returns the number of agents with an AOR. */
  public int registered() {
    return (int) until.keySet().stream().filter(Agent::registered).count();
  }

  /** Returns the number of addresses with agents. */
  public int addresses() {
    return byAddress.size();
  }
}
