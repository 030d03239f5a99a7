// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.agents.AgentTable;
import org.netserv.provider.base.Counter;
import org.netserv.provider.report.Report;

/**
 * Decides from reports which agents are gone. An agent is gone when its edge node has told of its
 * silence so many times in a row, and no other node has seen it since. One report proves nothing,
 * because a path may have moved. Entries about agents that Kamailio has not told of make nothing.
 * Belongs to the provider's thread; times are milliseconds since 1970.
 */
final class Silence {
  /** Hears of agents that are gone. */
  @FunctionalInterface
  interface Listener {
    /**
     * Called once for each agent.
     *
     * @param registered the agents with an AOR at the same address and port
     * @param since time of the last keep-alive, as the edge node saw it
     */
    void gone(Agent agent, List<Agent> registered, long since);
  }

  private static final class Track {
    int silences;
    long seen;
  }

  private final AgentTable agents;
  private final int most;
  private final long lifetimeMillis;
  private final Counters counters;
  private final Listener listener;
  private final Map<Agent, Track> tracks = new HashMap<>();

  /**
   * Knows nothing yet.
   *
   * @param most reports of silence in a row
   * @param lifetimeMillis for which a keep-alive confirms an agent
   */
  Silence(AgentTable agents, int most, long lifetimeMillis, Counters counters, Listener listener) {
    this.agents = agents;
    this.most = most;
    this.lifetimeMillis = lifetimeMillis;
    this.counters = counters;
    this.listener = listener;
  }

  void report(Report report, long now) {
    for (Report.Entry entry : report.entries()) {
      Agent agent = Agent.keepingAlive(entry.address(), entry.port());
      if (!agents.knows(agent)) {
        counters.add(Counter.AGENTS_STRANGE);
      } else if (entry.silent()) {
        silent(agent, now - entry.idle() * 1000, now);
      } else {
        seen(agent, now - entry.idle() * 1000, now);
      }
    }
  }

  private void seen(Agent agent, long at, long now) {
    counters.add(Counter.AGENTS_SEEN);
    Track track = tracks.computeIfAbsent(agent, a -> new Track());
    track.silences = 0;
    track.seen = Math.max(track.seen, at);
    agents.heard(agent, Math.max(agents.until(agent), now + lifetimeMillis), now);
  }

  private void silent(Agent agent, long since, long now) {
    Track track = tracks.computeIfAbsent(agent, a -> new Track());
    if (track.seen > since + 1000) {
      // Another node has seen it since: the agent's path has moved.
      return;
    }
    if (++track.silences < most) {
      return;
    }
    counters.add(Counter.AGENTS_SILENT);
    List<Agent> registered =
        agents.at(agent.address()).stream()
            .filter(other -> other.registered() && other.port() == agent.port())
            .toList();
    agents.gone(agent, now);
    listener.gone(agent, registered, since);
  }

  /** Forgets an agent that is known no more. */
  void forget(Agent agent) {
    tracks.remove(agent);
  }

  int size() {
    return tracks.size();
  }
}
