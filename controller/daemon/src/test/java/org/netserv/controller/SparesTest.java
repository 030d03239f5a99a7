// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.container.AgentEvent;
import org.netserv.controller.container.Container;
import org.netserv.controller.container.ContainerState;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.log.LogException;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.netserv.policy.Quotas;

/**
 * Spare containers. An agent that greets under the uid of a slot goes to the right container, in
 * every order of events.
 */
final class SparesTest {
  /** The uid of a slot. */
  private static final long SLOT = 770_003;

  @TempDir Path directory;
  private SmallNode node;

  @BeforeEach
  void open() throws IOException, LogException {
    node = SmallNode.fresh(directory);
    node.greet = false;
  }

  @AfterEach
  void close() {
    node.log.close();
    node.audit.close();
  }

  private FakeAgent greets(long uid, FakeAgent agent) {
    node.controller.containers().greeted(uid, agent, agent.hello());
    node.loop.run();
    return agent;
  }

  /** Returns the agent of a spare that has booted. */
  private FakeAgent spare() {
    return greets(SLOT, new FakeAgent(node.loop));
  }

  /** Returns an agent that wrote its greeting and is no more. */
  private FakeAgent dead() {
    FakeAgent agent = new FakeAgent(node.loop);
    agent.silent = true;
    return greets(SLOT, agent);
  }

  /** Sends a SETUP that makes its container from the spare of the slot. */
  private List<NcmReply> setup(String user) throws Exception {
    node.spawner.spare = SLOT;
    return node.send(SmallNode.sign(node.setup(user, "a.b", "1.0.0")));
  }

  /** Runs a module in a spare that has greeted, and returns its agent. */
  private FakeAgent runs(String user) throws Exception {
    FakeAgent agent = spare();
    assertEquals(200, setup(user).get(0).answer().status());
    return agent;
  }

  private void lost(FakeAgent agent) {
    node.controller.containers().lost(SLOT, agent, "CLOSED");
    node.loop.run();
  }

  private void exited(String user) {
    node.spawner.end(user);
    node.controller.event("exited", Map.of("container", user, "status", "signal:9"));
  }

  private Container container(String user) {
    return node.controller.containers().all().stream()
        .filter(c -> c.user().equals(user))
        .findFirst()
        .orElseThrow();
  }

  private int waiting() {
    return node.controller.containers().sparesWaiting();
  }

  private void says(FakeAgent agent, String module) {
    node.controller.containers().event(SLOT, agent, new AgentEvent("leak", module, "x"));
    node.loop.run();
  }

  private String because(String user) {
    return node.controller.modules().livesOf(user).get(0).because();
  }

  // ---- the end of a container

  @Test
  void aRestartTakesTheSpareThatWaits() throws Exception {
    runs("jane");
    FakeAgent next = greets(SLOT + 1, new FakeAgent(node.loop));
    node.spawner.spare = SLOT + 1;
    exited("jane");
    assertEquals(1, waiting());
    node.loop.advance(20);
    assertEquals(2, node.spawner.count("start"));
    assertEquals(ContainerState.READY, container("jane").state(), "its agent has greeted before");
    assertTrue(container("jane").spare());
    assertEquals(0, waiting());
    assertEquals(1, next.count("install"));
    assertEquals("installed and started", because("jane"));
  }

  @Test
  void aSpareDoesNotShortenTheNextBackOff() throws Exception {
    runs("jane");
    for (long slot = SLOT + 1; slot <= SLOT + 2; slot++) {
      greets(slot, new FakeAgent(node.loop));
    }
    node.spawner.spare = SLOT + 1;
    exited("jane");
    node.loop.advance(20);
    node.spawner.spare = SLOT + 2;
    exited("jane");
    node.loop.advance(999);
    assertEquals(1, waiting(), "a container that ends again and again takes no spare at once");
    node.loop.advance(1);
    assertEquals(0, waiting());
    assertEquals(3, node.spawner.count("start"));
  }

  // ---- the time of the fetch

  @Test
  void aSpareIsTakenWhileTheBundleIsFetched() throws Exception {
    spare();
    node.jobs.hold = true;
    List<NcmReply> replies = setup("jane");
    assertEquals(1, node.spawner.count("start"));
    assertEquals(ContainerState.READY, container("jane").state());
    node.jobs.release();
    node.loop.run();
    assertEquals(200, replies.get(0).answer().status());
    assertEquals(1, node.spawner.count("start"));
  }

  @Test
  void aFetchThatFailsGivesTheContainerUp() throws Exception {
    spare();
    node.jobs.hold = true;
    node.jobs.fail = FetchOutcome.failed(502, "url", "refused");
    List<NcmReply> replies = setup("jane");
    node.jobs.release();
    node.loop.run();
    assertEquals(502, replies.get(0).answer().status());
    assertEquals(1, node.spawner.count("stop"));
    assertTrue(node.controller.containers().all().isEmpty());
  }

  @Test
  void withoutASpareNoContainerIsStartedBeforeTheBundleIsHere() throws Exception {
    node.jobs.hold = true;
    setup("jane");
    assertEquals(0, node.spawner.count("start"));
  }

  // ---- the order

  @Test
  void theSpawnerIsToldHowManyAtTheStartAndAfterAReload() {
    List<SpawnerRequest> told = spareOrders();
    assertEquals(1, told.size());
    assertEquals("1", values(told).get(0).get("count"));
    assertEquals("" + Quotas.DEFAULTS.memory(), values(told).get(0).get("memory"));
    int prepared = verbs().indexOf("prepare");
    assertEquals("2,5", node.spawner.asked.get(prepared).values().get("packet-processors"));
    assertEquals("10.77.64.0/18", node.spawner.asked.get(prepared).values().get("prefix4"));
    assertEquals("fd00:1:2::/48", node.spawner.asked.get(prepared).values().get("prefix6"));
    assertEquals("spares", verbs().get(prepared + 1));
    node.settings.spares = 3;
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    assertEquals("3", values(spareOrders()).get(1).get("count"));
    node.controller.disconnected();
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    assertEquals(2, spareOrders().size(), "it hears of it when it is back");
    node.controller.connected();
    node.loop.run();
    assertEquals(3, spareOrders().size());
  }

  private List<SpawnerRequest> spareOrders() {
    return node.spawner.asked.stream().filter(r -> r.verb().equals("spares")).toList();
  }

  private static List<Map<String, String>> values(List<SpawnerRequest> requests) {
    return requests.stream().map(SpawnerRequest::values).toList();
  }

  private List<String> verbs() {
    return node.spawner.asked.stream().map(SpawnerRequest::verb).toList();
  }

  @Test
  void aSpawnerThatKnowsNoSparesServesAsEver() throws Exception {
    node.spawner.refuseSpares = "unknown verb";
    node.controller.disconnected();
    node.controller.connected();
    node.loop.run();
    node.greet = true;
    assertEquals(200, node.ask(node.setup("jane", "a.b", "1.0.0")).answer().status());
    assertEquals(ContainerState.READY, container("jane").state());
    assertFalse(container("jane").spare());
  }

  // ---- adoption

  @Test
  void oneThatWaitsIsThePublishersAtOnce() throws Exception {
    FakeAgent agent = spare();
    ObjectNode before = node.op(SmallNode.request("status"));
    assertEquals(1, before.path("spares").asInt());
    assertEquals(200, setup("jane").get(0).answer().status());
    assertEquals(Map.of("a.b", "1.0.0"), agent.modules);
    ObjectNode status = node.op(SmallNode.request("status"));
    assertEquals(0, status.path("spares").asInt());
    assertTrue(status.path("containers").path(0).path("spare").asBoolean());
    assertEquals("its agent greets", container("jane").why());
    says(agent, "a.b");
    assertEquals("leak: x", because("jane"));
  }

  @Test
  void oneThatHasNotGreetedIsWaitedFor() throws Exception {
    List<NcmReply> replies = setup("jane");
    assertEquals(ContainerState.GREETING, container("jane").state());
    assertEquals("started from a spare", container("jane").why());
    FakeAgent agent = spare();
    assertEquals(200, replies.get(0).answer().status());
    assertEquals(1, agent.count("install"));
    assertEquals(0, waiting());
  }

  @Test
  void oneThatNeverGreetsIsReplaced() throws Exception {
    setup("jane");
    node.loop.advance(20_000);
    assertTrue(
        node.spawner.asked.stream()
            .anyMatch(r -> r.verb().equals("stop") && r.values().get("dump").equals("1")));
  }

  @Test
  void itWaitsWithoutBeingAskedAgain() {
    FakeAgent agent = spare();
    node.loop.advance(600_000);
    assertFalse(agent.closed);
    assertEquals(List.of("ping"), agent.asked.stream().map(o -> o.path("op").asText()).toList());
    assertEquals(1, waiting());
  }

  @Test
  void itIsClosedWhenItSpeaksOutOfTurn() {
    FakeAgent agent = spare();
    says(agent, "a.b");
    assertTrue(agent.closed);
    FakeAgent second = spare();
    node.controller.containers().unasked(SLOT, second);
    assertTrue(second.closed);
    assertEquals(0, waiting());
  }

  @Test
  void aSlotHasOneAgent() {
    FakeAgent first = spare();
    FakeAgent second = spare();
    assertTrue(first.closed);
    assertFalse(second.closed);
    assertEquals(1, waiting());
    lost(second);
    assertEquals(0, waiting());
  }

  @Test
  void aSpareThatRunsModulesIsNone() throws Exception {
    FakeAgent tainted = new FakeAgent(node.loop);
    tainted.modules.put("a.b", "1.0.0");
    tainted.sha256.put("a.b", SmallNode.digest("a.b1.0.0"));
    greets(SLOT, tainted);
    List<NcmReply> replies = setup("jane");
    assertTrue(tainted.closed);
    assertEquals(ContainerState.GREETING, container("jane").state());
    assertEquals(0, replies.size());
  }

  @Test
  void whatRunsAsASpareDoesNotRunAsItsPublisher() throws Exception {
    runs("jane");
    FakeAgent impostor = greets(node.uid("jane"), new FakeAgent(node.loop));
    assertTrue(impostor.closed);
    assertEquals(0, impostor.count("install"));
  }

  @Test
  void whoGreetedBeforeTheStartWasAnsweredIsCutOff() throws Exception {
    FakeAgent early = new FakeAgent(node.loop);
    node.spawner.started =
        user -> node.controller.containers().greeted(node.uid(user), early, early.hello());
    early.silent = true;
    FakeAgent agent = spare();
    assertEquals(500, setup("jane").get(0).answer().status(), "its install is lost with it");
    assertTrue(early.closed);
    assertEquals(0, agent.count("install"));
    node.spawner.started = user -> {};
    runs("jane");
    assertEquals(ContainerState.READY, container("jane").state());
  }

  @Test
  void aStartWhoseAnswerWasLostIsFoundByTheList() throws Exception {
    FakeAgent agent = spare();
    node.spawner.running.add("jane");
    node.spawner.uids.put("jane", SLOT);
    assertEquals(200, node.ask(node.setup("jane", "a.b", "1.0.0")).answer().status());
    assertEquals(1, agent.count("install"));
    assertTrue(container("jane").spare());
  }

  // ---- slots are used again

  @Test
  void aSlotThatIsAnothersNow() throws Exception {
    FakeAgent janes = runs("jane");
    exited("jane");
    FakeAgent johns = runs("john");
    assertTrue(janes.closed);
    assertEquals(1, johns.count("install"));
    says(janes, "a.b");
    assertEquals("filters written", because("john"));
    lost(janes);
    assertEquals(ContainerState.READY, container("john").state());
    assertEquals(1, janes.count("install"));
    node.loop.advance(5_000);
    assertEquals(3, node.spawner.count("start"), "jane has another, by herself");
    assertFalse(container("jane").spare());
  }

  @Test
  void aStaleGreetingIsNobodys() throws Exception {
    runs("jane");
    exited("jane");
    FakeAgent stale = dead();
    assertEquals(0, waiting());
    List<NcmReply> replies = setup("john");
    assertEquals(ContainerState.GREETING, container("john").state());
    FakeAgent johns = spare();
    assertEquals(200, replies.get(0).answer().status());
    assertEquals(1, johns.count("install"));
    FakeAgent staler = dead();
    node.loop.advance(10_000);
    assertTrue(stale.closed && staler.closed);
    assertFalse(johns.closed);
    assertEquals(0, stale.count("install") + staler.count("install"));
  }

  @Test
  void whoGreetedBeforeTheEndIsNotWhoComesAfter() throws Exception {
    runs("jane");
    FakeAgent second = new FakeAgent(node.loop);
    second.delay = 5_000;
    greets(SLOT, second);
    exited("jane");
    assertTrue(second.closed);
    FakeAgent johns = runs("john");
    node.loop.advance(5_000);
    assertFalse(johns.closed);
    assertEquals(0, second.count("install"));
  }

  @Test
  void anEndThatIsStillOnItsWayIsHeardFirst() throws Exception {
    FakeAgent janes = runs("jane");
    lost(janes);
    node.spawner.beforeList = () -> exited("jane");
    FakeAgent next = spare();
    assertTrue(next.closed, "it may come again, as a spare");
    assertEquals(0, next.count("install"));
    node.spawner.beforeList = () -> {};
    FakeAgent johns = runs("john");
    assertEquals(1, johns.count("install"));
  }

  @Test
  void anEndWhileTheSpawnerWasAway() throws Exception {
    FakeAgent janes = runs("jane");
    node.controller.disconnected();
    node.spawner.end("jane");
    lost(janes);
    FakeAgent next = spare();
    node.controller.connected();
    node.loop.advance(5_000);
    assertEquals(0, next.count("install"));
    assertEquals(2, node.spawner.count("start"));
    assertFalse(container("jane").spare());
  }

  @Test
  void theSpawnersWordCountsAboutASlotOfTwo() throws Exception {
    FakeAgent janes = runs("jane");
    FakeAgent johns = new FakeAgent(node.loop);
    List<NcmReply> replies = setup("john");
    assertTrue(janes.closed);
    assertFalse(container("jane").spare());
    greets(SLOT, johns);
    assertEquals(200, replies.get(0).answer().status());
    assertEquals(Map.of("a.b", "1.0.0"), johns.modules);
  }

  @Test
  void aLostConnectionOfAnAdoptedOneIsForgivenOnceItIsBack() throws Exception {
    FakeAgent agent = runs("jane");
    lost(agent);
    FakeAgent again = same(agent);
    greets(SLOT, again);
    assertEquals(ContainerState.READY, container("jane").state());
    assertEquals(0, again.count("install"));
    assertEquals(1, node.spawner.count("start"));
  }

  @Test
  void oneThatIsBeingStoppedIsNotHeard() throws Exception {
    FakeAgent agent = runs("jane");
    agent.silent = true;
    node.loop.advance(12_000);
    assertTrue(agent.closed);
    FakeAgent johns = runs("john");
    assertEquals(1, johns.count("install"));
  }

  @Test
  void oneThatCouldNotBeStoppedIsNoSpare() throws Exception {
    FakeAgent agent = runs("jane");
    node.spawner.refuseStop = "time-out";
    node.ask(node.remove("jane", "a.b"));
    assertTrue(agent.closed);
    FakeAgent again = greets(SLOT, new FakeAgent(node.loop));
    assertEquals(0, waiting());
    node.controller.event("exited", Map.of("container", "jane", "status", "signal:9"));
    node.spawner.end("jane");
    FakeAgent johns = runs("john");
    assertEquals(1, johns.count("install"));
    assertEquals(0, again.count("install"));
  }

  private FakeAgent same(FakeAgent agent) {
    FakeAgent same = new FakeAgent(node.loop);
    same.modules.putAll(agent.modules);
    same.sha256.putAll(agent.sha256);
    return same;
  }

  // ---- restart of the controller

  @Test
  void anAgentThatIsFasterThanTheListWaitsForIt() throws Exception {
    FakeAgent agent = runs("jane");
    node = node.restart();
    node.greet = false;
    node.controller.start();
    FakeAgent same = same(agent);
    greets(SLOT, same);
    says(same, "a.b");
    assertFalse(same.closed, "it may be somebody's");
    node.controller.connected();
    node.loop.run();
    assertEquals(ContainerState.READY, container("jane").state());
    assertTrue(container("jane").spare());
    assertEquals(0, same.count("install"));
    ObjectNode why = node.op(SmallNode.request("why").put("module", "a.b"));
    assertTrue(why.path("history").toString().contains("leak: x"), why.toString());
    assertEquals(0, waiting());
  }

  @Test
  void anAgentThatIsSlowerThanTheListIsKnown() throws Exception {
    FakeAgent agent = runs("jane");
    node = node.restart();
    node.greet = false;
    node.begin();
    FakeAgent impostor = greets(node.uid("jane"), new FakeAgent(node.loop));
    assertTrue(impostor.closed);
    FakeAgent same = same(agent);
    greets(SLOT, same);
    assertEquals(ContainerState.READY, container("jane").state());
    assertEquals(0, same.count("install"));
    assertEquals(0, node.spawner.count("start"));
  }

  @Test
  void aSpareLivesThroughARestart() throws Exception {
    runs("jane");
    node = node.restart();
    node.greet = false;
    node.controller.start();
    FakeAgent other = greets(SLOT + 1, new FakeAgent(node.loop));
    node.controller.connected();
    node.loop.run();
    assertEquals(1, waiting());
    node.spawner.spare = SLOT + 1;
    assertEquals(200, node.ask(node.setup("john", "c.d", "1.0.0")).answer().status());
    assertEquals(Map.of("c.d", "1.0.0"), other.modules);
  }
}
