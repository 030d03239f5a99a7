// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.store.StateFile;
import org.netserv.provider.agents.Agent;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** Agents outlive the process. */
class AgentStoreTest {
  @TempDir Path directory;

  private StateFile open() throws IOException {
    return new StateFile(directory.resolve("state.mv"), new Counters());
  }

  @Test
  void whatWasCommittedIsThereAgain() throws IOException, BadValueException {
    Agent named = new Agent(Addresses.parse("198.51.100.1"), 5060, "alice");
    Agent known = Agent.keepingAlive(Addresses.parse("2001:db8::1"), 1);
    Agent gone = Agent.keepingAlive(Addresses.parse("198.51.100.2"), 1);
    try (StateFile file = open()) {
      AgentStore store = new AgentStore(file);
      store.agent(named, 7);
      store.agent(known, 8);
      store.agent(gone, 9);
      store.forgetAgent(gone);
      file.change("agents", "no agent", "1");
    }
    try (StateFile file = open()) {
      assertEquals(Map.of(named, 7L, known, 8L), new AgentStore(file).agents());
    }
  }
}
