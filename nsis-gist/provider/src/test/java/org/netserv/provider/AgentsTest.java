// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.store.StateFile;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.base.Counter;
import org.netserv.provider.kamailio.RpcAnswer;
import org.netserv.provider.report.Report;
import org.netserv.provider.store.AgentStore;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** Events, lifetimes and reports decide which agents there are. */
class AgentsTest {
  private static final long LIFETIME = 100_000;
  private static final String AT = "198.51.100.2 1024";

  @TempDir Path directory;
  private final Counters counters = new Counters(Counter.values());
  private StateFile store;
  private Agents agents;
  private Agent keeping;
  private Agent alice;
  private long now = 1_000_000_000_000L;

  @BeforeEach
  void open() throws IOException, BadValueException {
    store = new StateFile(directory.resolve("state.mv"), counters);
    agents = new Agents(3, new AgentStore(store), counters, LIFETIME);
    InetAddress address = Addresses.parse("198.51.100.2");
    keeping = Agent.keepingAlive(address, 1024);
    alice = new Agent(address, 1024, "alice");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void pass(long millis) {
    now += millis;
    agents.table().expire(now);
  }

  @Test
  void aRegisterAlsoConfirmsTheAgentWhoseKeepAlivesEndAtTheEdge() {
    agents.line("1 keepalive " + AT, now);
    agents.line("1 register alice " + AT + " 600", now);
    pass(LIFETIME + 1000);
    assertTrue(agents.table().knows(keeping));
    pass(600_000);
    assertFalse(agents.table().knows(keeping) || agents.table().knows(alice));
    assertEquals(2, counters.get(Counter.AGENTS_EXPIRED));
  }

  @Test
  void anAgentThatUnregistersIsGoneWithItsKeepAlives() {
    agents.line("1 keepalive " + AT, now);
    agents.line("1 register alice " + AT + " 600", now);
    agents.line("1 register bob " + AT + " 600", now);
    agents.line("1 gone alice " + AT, now);
    assertTrue(agents.table().knows(keeping), "bob has the same socket");
    agents.line("1 register bob " + AT + " 0", now);
    assertEquals(0, agents.table().size());
  }

  @Test
  void agentsAreBoundedAndBadLinesAreCounted() {
    for (int port = 1; port <= 5; port++) {
      agents.line("1 keepalive 198.51.100.2 " + port, now);
    }
    agents.line("nonsense", now);
    assertEquals(3, agents.table().size());
    assertEquals(2, counters.get(Counter.AGENTS_FULL));
    assertEquals(1, counters.get(Counter.EVENTS_BAD));
    assertEquals(6, counters.get(Counter.EVENTS));
  }

  @Test
  void theAgentsAreThereAfterARestart() throws IOException {
    agents.line("1 keepalive " + AT, now);
    agents.line("1 register alice " + AT + " 60", now);
    store.close();
    store = new StateFile(directory.resolve("state.mv"), counters);
    agents = new Agents(3, new AgentStore(store), counters, LIFETIME);
    agents.restore(now + 95_000);
    assertEquals(List.of(keeping), agents.table().all(), "alice's registration is over");
  }

  private Report report(boolean silent, long idle) {
    Report.Entry entry = new Report.Entry(silent, true, keeping.address(), 1024, idle);
    return new Report(1, 1, now, keeping.address(), 5060, Report.ServerState.ALIVE, List.of(entry));
  }

  @Test
  void oneSilentReportRemovesNothingAndThreeDo() {
    List<String> gone = new ArrayList<>();
    Silence silence =
        new Silence(
            agents.table(),
            3,
            LIFETIME,
            counters,
            (agent, registered, since) -> gone.add(registered + " " + (now - since)));
    silence.report(report(false, 0), now);
    assertEquals(1, counters.get(Counter.AGENTS_STRANGE), "reports make no agents");
    agents.line("1 keepalive " + AT, now);
    agents.line("1 register alice " + AT + " 600", now);
    silence.report(report(true, 70), now);
    silence.report(report(true, 80), now);
    silence.report(report(false, 1), now);
    silence.report(report(true, 70), now);
    assertTrue(agents.table().knows(keeping), "a path that moved: another node has seen it since");
    now += 100_000;
    for (int i = 0; i < 3; i++) {
      assertEquals(List.of(), gone);
      silence.report(report(true, 70), now);
    }
    assertEquals(List.of(List.of(alice) + " 70000"), gone);
    assertFalse(agents.table().knows(keeping));
    assertTrue(agents.table().knows(alice), "its registration is Kamailio's to end");
  }

  @Test
  void onlyTheContactOfTheSilentAgentThatDidNotRegisterSinceIsRemoved() {
    List<String> calls = new ArrayList<>();
    Map<String, Object> old =
        Map.of(
            "Address", "sip:alice@10.0.0.1:5060",
            "Received", "sip:198.51.100.2:1024",
            "Last-Modified", 1000);
    Map<String, Object> fresh =
        Map.of(
            "Address", "sip:alice@10.0.0.2:5060",
            "Received", "sip:198.51.100.2:1024",
            "Last-Modified", 3000);
    Map<String, Object> other =
        Map.of(
            "Address", "sip:alice@203.0.113.1:1024", "Received", "[not set]", "Last-Modified", 10);
    Contacts contacts =
        new Contacts(
            (method, arguments, done) -> {
              calls.add(method + arguments);
              done.accept(
                  new RpcAnswer(0, "", List.of(Map.of("Contacts", List.of(old, fresh, other)))));
              return true;
            },
            "location",
            counters);
    contacts.remove(alice, 2_000_000);
    assertEquals(
        List.of(
            "ul.lookup[location, alice]",
            "ul.rm_contact[location, alice, sip:alice@10.0.0.1:5060]"),
        calls);
    assertEquals(1, counters.get(Counter.CONTACTS_REMOVED));
  }

  @Test
  void credentialsAreThoseOfCoturnsUseAuthSecret() {
    Credentials credentials =
        new Credentials("north".getBytes(java.nio.charset.StandardCharsets.UTF_8), 3_600_000);
    Credentials.Pair pair = credentials.of("alice", 1_000_000);
    assertEquals("4600:alice", pair.user());
    assertEquals("yVLS7jRIbhPLg+yaWQ8V+sE4g5I=", pair.password());
  }
}
