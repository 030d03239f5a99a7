// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import java.util.List;
import java.util.Map;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.agents.AgentTable;
import org.netserv.provider.base.Counter;
import org.netserv.provider.kamailio.AgentEvent;
import org.netserv.provider.store.AgentStore;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns Kamailio's events into agents, remembers them on the disk and tells the parts. Belongs to
 * the provider's thread; times are milliseconds since 1970.
 */
final class Agents implements AgentTable.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Agents.class);

  /** Time beyond a registration's end in which the agent may still refresh it. */
  private static final long GRACE = 30_000;

  /** Seconds to which registrars raise shorter registrations. */
  private static final long SHORTEST_EXPIRES = 60;

  private final AgentTable table;
  private final AgentStore store;
  private final Counters counters;
  private final long lifetimeMillis;
  private List<Part> parts = List.of();
  private String lastBad = "";

  /**
   * An empty table.
   *
   * @param lifetimeMillis of an agent that is known by a keep-alive alone
   */
  Agents(int most, AgentStore store, Counters counters, long lifetimeMillis) {
    this.table = new AgentTable(most, counters, this);
    this.store = store;
    this.counters = counters;
    this.lifetimeMillis = lifetimeMillis;
  }

  AgentTable table() {
    return table;
  }

  void tell(List<Part> listeners) {
    parts = List.copyOf(listeners);
  }

  /** Takes up the agents of the process before this one. */
  void restore(long now) {
    for (Map.Entry<Agent, Long> known : store.agents().entrySet()) {
      if (known.getValue() > now) {
        table.heard(known.getKey(), known.getValue(), now);
      } else {
        store.forgetAgent(known.getKey());
      }
    }
  }

  /** Handles a line of Kamailio's queue. A line that does not read is counted and logged once. */
  void line(String line, long now) {
    counters.add(Counter.EVENTS);
    try {
      event(AgentEvent.read(line), now);
    } catch (BadValueException e) {
      counters.add(Counter.EVENTS_BAD);
      if (!lastBad.equals(e.getMessage())) {
        lastBad = e.getMessage();
        LOG.warn("an event of Kamailio is refused: {}", lastBad);
      }
    }
  }

  private void event(AgentEvent event, long now) {
    Agent agent = new Agent(event.address(), event.port(), event.aor());
    switch (event.kind()) {
      case KEEPALIVE -> table.heard(agent, now + lifetimeMillis, now);
      case GONE -> gone(agent, now);
      case REGISTER -> {
        if (event.expires() == 0) {
          gone(agent, now);
        } else {
          long seconds = Math.max(SHORTEST_EXPIRES, event.expires());
          registered(agent, now + seconds * 1000 + GRACE, now);
        }
      }
    }
  }

  /** A REGISTER also shows that an agent whose keep-alives are answered at the edge is alive. */
  private void registered(Agent agent, long until, long now) {
    table.heard(agent, until, now);
    Agent same = Agent.keepingAlive(agent.address(), agent.port());
    if (table.knows(same)) {
      table.heard(same, Math.max(table.until(same), Math.max(until, now + lifetimeMillis)), now);
    }
  }

  private void gone(Agent agent, long now) {
    table.gone(agent, now);
    boolean others =
        table.at(agent.address()).stream()
            .anyMatch(other -> other.port() == agent.port() && other.registered());
    if (!others) {
      table.gone(Agent.keepingAlive(agent.address(), agent.port()), now);
    }
  }

  @Override
  public void came(Agent agent, long now) {
    parts.forEach(part -> part.came(agent, now));
  }

  @Override
  public void heard(Agent agent, long until, long now) {
    store.agent(agent, until);
    parts.forEach(part -> part.heard(agent, until, now));
  }

  @Override
  public void went(Agent agent, long now) {
    store.forgetAgent(agent);
    parts.forEach(part -> part.went(agent, now));
  }
}
