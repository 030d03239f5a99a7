// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.module.FetchedBundles;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** Bundles that are fetched for a later SETUP, in virtual time. */
final class FetchedBundlesTest extends LivingNode {
  private static final ModuleKey KEY = new ModuleKey("jane", "a.b");

  private Ncm.Builder later(String module, String version) {
    return node.setup("jane", module, version).set(Header.ACTIVATE, "later");
  }

  private void fetch(String module, String version) throws NcmException {
    Answer answer = node.ask(later(module, version)).answer();
    assertEquals(FetchedBundles.FETCHED, answer.status(), answer.reason());
  }

  private Optional<FetchedBundles.Kept> kept() {
    return node.controller.modules().fetched().find(KEY);
  }

  private JsonNode probe(String kind) throws NcmException {
    return node.ask(node.message(Ncm.builder(Method.PROBE, "a.b"), "jane").set(Header.PROBE, kind))
        .data()
        .path(kind);
  }

  @Test
  void aBundleIsFetchedAndNothingRuns() throws Exception {
    Answer answer = node.ask(later("a.b", "1.0.0")).answer();
    assertEquals(201, answer.status());
    assertEquals("fetched, not running: 5 bytes are kept", answer.reason());
    assertEquals("", states());
    assertEquals(0, node.spawner.count("start"));
    assertEquals(List.of(), node.spawner.filters);
    assertTrue(node.store.contains(SmallNode.digest("a.b1.0.0")));
  }

  @Test
  void theSameBundleThenRunsWithoutAFetch() throws Exception {
    fetch("a.b", "1.0.0");
    setup("jane", "a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(1, node.jobs.fetched.size());
    assertEquals(1, node.spawner.filters.size());
  }

  /** Of a new module alone, because the filters of the version that runs stay until then. */
  @Test
  void itsFiltersAreWrittenWhileItsContainerStarts() throws Exception {
    fetch("a.b", "1.0.0");
    node.greet = false;
    List<NcmReply> run = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    assertEquals("jane/a.b=1.0.0:starting-container", states());
    assertEquals(1, node.spawner.filters.size());
    long writes = node.spawner.count("filters");
    FakeAgent agent = new FakeAgent(node.loop);
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    assertEquals(200, run.get(0).answer().status());
    assertEquals(writes, node.spawner.count("filters"), "not again behind the installation");
  }

  @Test
  void filtersGoAgainWithAContainerThatDoesNotCome() throws Exception {
    fetch("a.b", "1.0.0");
    node.greet = false;
    List<NcmReply> run = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    node.loop.advance(60_000);
    assertEquals(List.of(), node.spawner.filters);
    assertEquals("", states());
    assertEquals(202, run.get(0).answer().status());
  }

  @Test
  void anotherBundleIsFetched() throws Exception {
    fetch("a.b", "1.0.0");
    setup("jane", "a.b", "2.0.0");
    setup("john", "a.b", "1.0.0");
    assertEquals(3, node.jobs.fetched.size());
  }

  @Test
  void aSetupDuringTheFetchWaitsForItsEnd() throws Exception {
    node.jobs.hold = true;
    List<NcmReply> fetch = node.send(SmallNode.sign(later("a.b", "1.0.0")));
    List<NcmReply> run = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    assertEquals(1, node.jobs.fetched.size());
    node.jobs.release();
    node.loop.run();
    assertEquals(201, fetch.get(0).answer().status());
    assertEquals(200, run.get(0).answer().status());
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void aSetupDuringTheFetchIsNotLostWithTheBundle() throws Exception {
    node.jobs.hold = true;
    List<NcmReply> fetch = node.send(SmallNode.sign(later("a.b", "1.0.0").set(Header.TTL, 5)));
    List<NcmReply> run = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    node.loop.advance(6_000);
    assertEquals(410, fetch.get(0).answer().status());
    node.jobs.release();
    node.loop.run();
    assertEquals(200, run.get(0).answer().status());
  }

  @Test
  void aNewVersionWaitsBesideTheOneThatRuns() throws Exception {
    setup("jane", "a.b", "1.0.0");
    fetch("a.b", "2.0.0");
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals("running", probe("module").path("state").asText());
    assertEquals("fetched", probe("module").path("fetched").path("state").asText());
    assertEquals("2.0.0", probe("module").path("fetched").path("version").asText());
    setup("jane", "a.b", "2.0.0");
    assertEquals("jane/a.b=2.0.0:running", states());
    assertEquals(2, node.jobs.fetched.size());
  }

  @Test
  void aBundleLivesAsLongAsItsTtl() throws Exception {
    assertEquals(201, node.ask(later("a.b", "1.0.0").set(Header.TTL, 10)).answer().status());
    node.loop.advance(9_000);
    assertTrue(kept().isPresent());
    node.loop.advance(2_000);
    assertTrue(kept().isEmpty());
    assertFalse(node.store.contains(SmallNode.digest("a.b1.0.0")));
    setup("jane", "a.b", "1.0.0");
    assertEquals(2, node.jobs.fetched.size());
  }

  @Test
  void anotherSetupLengthensItsLifeWithoutAFetch() throws Exception {
    assertEquals(201, node.ask(later("a.b", "1.0.0").set(Header.TTL, 10)).answer().status());
    node.loop.advance(9_000);
    fetch("a.b", "1.0.0");
    node.loop.advance(60_000);
    assertTrue(kept().isPresent());
    assertEquals(1, node.jobs.fetched.size());
  }

  @Test
  void removeDropsIt() throws Exception {
    fetch("a.b", "1.0.0");
    Answer answer = node.ask(node.remove("jane", "a.b")).answer();
    assertEquals(200, answer.status());
    assertEquals("fetched bundle removed", answer.reason());
    assertTrue(kept().isEmpty());
    assertFalse(node.store.contains(SmallNode.digest("a.b1.0.0")));
    assertEquals(404, node.ask(node.remove("jane", "a.b")).answer().status());
  }

  @Test
  void removeOfAVersionLeavesTheOther() throws Exception {
    setup("jane", "a.b", "1.0.0");
    fetch("a.b", "2.0.0");
    Answer answer = node.ask(version(node.remove("jane", "a.b"), "2.0.0")).answer();
    assertEquals("fetched bundle removed; the module stays", answer.reason());
    assertEquals("jane/a.b=1.0.0:running", states());
    fetch("a.b", "2.0.0");
    assertEquals(200, node.ask(version(node.remove("jane", "a.b"), "1.0.0")).answer().status());
    assertEquals("", states());
    assertTrue(kept().isPresent());
    assertEquals(404, node.ask(version(node.remove("jane", "a.b"), "3.0.0")).answer().status());
  }

  private static Ncm.Builder version(Ncm.Builder message, String version) {
    return message.version(version);
  }

  @Test
  void removeDropsTheClaimOfItsSessionOnly() throws Exception {
    fetch("a.b", "1.0.0");
    assertEquals(
        201, node.ask(later("a.b", "1.0.0").set(Header.TO, "198.51.100.8")).answer().status());
    Answer answer = node.ask(node.remove("jane", "a.b")).answer();
    assertEquals("claim dropped; 1 other claims keep the fetched bundle", answer.reason());
    assertTrue(kept().isPresent());
    assertEquals(404, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(
        200, node.ask(node.remove("jane", "a.b").set(Header.TO, "198.51.100.8")).answer().status());
    assertTrue(kept().isEmpty());
  }

  @Test
  void theStarRemovesModulesAndBundles() throws Exception {
    fetch("a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    assertEquals(200, node.ask(node.remove("jane", "*")).answer().status());
    assertEquals("", states());
    assertTrue(kept().isEmpty());
    fetch("a.b", "1.0.0");
    assertEquals(200, node.ask(node.remove("jane", "*")).answer().status());
    assertTrue(kept().isEmpty());
  }

  @Test
  void removeDuringTheFetchGivesTheBundleUp() throws Exception {
    node.jobs.hold = true;
    List<NcmReply> fetch = node.send(SmallNode.sign(later("a.b", "1.0.0")));
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(409, fetch.get(0).answer().status());
    node.jobs.release();
    node.loop.run();
    assertFalse(node.store.contains(SmallNode.digest("a.b1.0.0")));
  }

  @Test
  void aFetchThatFailsLeavesNothing() throws Exception {
    node.jobs.fail = FetchOutcome.failed(502, "url", "refused");
    Answer answer = node.ask(later("a.b", "1.0.0")).answer();
    assertEquals(502, answer.status());
    assertEquals("url", answer.header());
    assertTrue(kept().isEmpty());
    assertEquals(0, node.log.snapshot().bundles().size());
  }

  @Test
  void oneBundleOfAModuleIsFetchedAtATime() throws Exception {
    node.jobs.hold = true;
    node.send(SmallNode.sign(later("a.b", "1.0.0")));
    Answer answer = node.ask(later("a.b", "2.0.0")).answer();
    assertEquals(409, answer.status());
    assertEquals("the bundle of version 1.0.0 is being fetched", answer.reason());
  }

  @Test
  void theQuotaCountsModulesAndBundlesOnce() throws Exception {
    node.settings.publishers.get("jane").modules = 2;
    setup("jane", "c.d", "1.0.0");
    fetch("a.b", "1.0.0");
    assertEquals(403, node.ask(later("e.f", "1.0.0")).answer().status());
    assertEquals(403, node.ask(node.setup("jane", "e.f", "1.0.0")).answer().status());
    fetch("a.b", "2.0.0"); // in place of 1.0.0
    setup("jane", "a.b", "2.0.0");
    assertEquals(0, probe("resources").path("modulesLeft").asInt(), "made of the same bundle");
    assertEquals(403, node.ask(later("a.b", "3.0.0")).answer().status());
  }

  @Test
  void policyIsAskedBeforeTheFetch() throws Exception {
    Answer answer = node.ask(later("a.b", "1.0.0").set(Header.DEPENDENCIES, "no.such")).answer();
    assertEquals(424, answer.status());
    assertEquals(0, node.jobs.fetched.size());
  }

  @Test
  void anotherTrustFetchesAgain() throws Exception {
    fetch("a.b", "1.0.0");
    node.settings.trust = "other anchors";
    setup("jane", "a.b", "1.0.0");
    assertEquals(2, node.jobs.fetched.size());
  }

  @Test
  void anExpiredCertificateFetchesAgain() throws Exception {
    node.jobs.goodUntil = node.loop.wall() + 100_000;
    fetch("a.b", "1.0.0");
    node.loop.advance(101_000);
    node.jobs.fail = FetchOutcome.failed(403, "url", "bundle-certificate: expired");
    assertEquals(403, node.ask(node.setup("jane", "a.b", "1.0.0")).answer().status());
  }

  @Test
  void aRestartKeepsIt() throws Exception {
    Ncm ncm = SmallNode.sign(later("a.b", "1.0.0"));
    node.ask(ncm);
    node = node.restart().begin();
    assertEquals(0, node.jobs.fetched.size());
    assertEquals("fetched", kept().orElseThrow().state());
    assertEquals(201, node.ask(ncm).answer().status(), "the stored answer");
    setup("jane", "a.b", "1.0.0");
    assertEquals(0, node.jobs.fetched.size());
  }

  @Test
  void aRestartDuringTheFetchFetchesAgain() throws Exception {
    node.jobs.hold = true;
    Ncm ncm = SmallNode.sign(later("a.b", "1.0.0"));
    node.send(ncm);
    node = node.restart();
    node.jobs.hold = true;
    node.begin();
    List<NcmReply> again = node.send(ncm);
    assertEquals("fetching", kept().orElseThrow().state());
    node.jobs.release();
    node.loop.run();
    assertEquals(201, again.get(0).answer().status());
    assertEquals(1, node.jobs.fetched.size());
  }

  @Test
  void aRestartAfterItsEndHasNothing() throws Exception {
    assertEquals(201, node.ask(later("a.b", "1.0.0").set(Header.TTL, 10)).answer().status());
    node = node.restart();
    node.loop.advance(11_000);
    node.begin();
    assertTrue(kept().isEmpty());
  }

  @Test
  void aRevokedPublisherLosesIt() throws Exception {
    fetch("a.b", "1.0.0");
    node.settings.publishers.get("jane").revoked = true;
    assertEquals(Optional.empty(), node.controller.reload());
    assertTrue(kept().isEmpty());
    assertFalse(node.store.contains(SmallNode.digest("a.b1.0.0")));
  }

  @Test
  void itsPublisherAndTheOperatorSeeItAndStrangersDoNot() throws Exception {
    fetch("a.b", "1.0.0");
    assertEquals("fetched", probe("module").path("state").asText());
    assertEquals("1.0.0", probe("module").path("version").asText());
    assertEquals(1, probe("module").path("claims").asInt());
    node.settings.publishers.get("jane").publicModules = true;
    Ncm stranger = Ncm.builder(Method.PROBE, "a.b").set(Header.PROBE, "module").build();
    assertEquals("absent", node.ask(stranger).data().path("module").path("state").asText());
    JsonNode container = node.op(SmallNode.request("status")).path("containers").path(0);
    assertEquals("idle", container.path("state").asText());
    JsonNode row = container.path("modules").path(0);
    assertEquals("fetched", row.path("state").asText());
    assertEquals(5, row.path("bytes").asInt());
    assertEquals(3600, row.path("expires").asInt());
    JsonNode why = node.op(SmallNode.request("why").put("module", "a.b"));
    assertEquals("fetched", why.path("state").asText());
  }

  @Test
  void theNotificationTellsThatItIsFetched() throws Exception {
    node.ask(later("a.b", "1.0.0").set(Header.NOTIFICATION, "http://publisher.example/n"));
    assertEquals(201, node.jobs.told.get(0).status());
  }

  @Test
  void aWrongTimeIsRefusedByName() {
    NcmException refusal =
        assertThrows(
            NcmException.class,
            () -> node.setup("jane", "a.b", "1.0.0").set(Header.ACTIVATE, "soon").build());
    assertEquals(Header.ACTIVATE, refusal.header().orElseThrow());
  }
}
