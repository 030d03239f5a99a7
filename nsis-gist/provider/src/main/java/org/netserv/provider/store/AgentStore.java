// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.store;

import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.coverage.store.StateFile;
import org.netserv.provider.agents.Agent;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agents in the provider's state. Belongs to the provider's thread. */
public final class AgentStore {
  private static final Logger LOG = LoggerFactory.getLogger(AgentStore.class);
  private static final String AGENTS = "agents";

  private final StateFile file;

  /** The agents of a state. */
  public AgentStore(StateFile file) {
    this.file = file;
  }

  /** Maps the agents to the ends of their times, in milliseconds since 1970. */
  public Map<Agent, Long> agents() {
    Map<Agent, Long> all = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry : file.table(AGENTS).entrySet()) {
      try {
        all.put(Agent.parse(entry.getKey()), Long.parseLong(entry.getValue()));
      } catch (BadValueException | NumberFormatException e) {
        LOG.warn("an agent of the state is left out: {}", e.getMessage());
      }
    }
    return all;
  }

  public void agent(Agent agent, long until) {
    file.change(AGENTS, agent.key(), Long.toString(until));
  }

  public void forgetAgent(Agent agent) {
    file.change(AGENTS, agent.key(), null);
  }
}
