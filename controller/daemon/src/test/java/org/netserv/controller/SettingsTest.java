// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.Sealed;
import org.netserv.values.NodeIdentity;

/**
 * Properties on their way to a module, refreshes, and the recipients, the time and the form of end
 * states.
 */
final class SettingsTest extends LivingNode {
  private static final String URL = "http://publisher.example/rpc";

  private Ncm.Builder setup() {
    return node.setup("jane", "a.b", "1.0.0").set(Header.NOTIFICATION, URL);
  }

  private void running(Ncm.Builder setup) throws Exception {
    NcmReply reply = node.ask(setup);
    assertEquals(200, reply.answer().status(), reply.answer().reason());
  }

  private List<String> told() {
    return node.jobs.told.stream().map(SettingsTest::line).toList();
  }

  private static String line(NotifyOrder order) {
    assertEquals(URL, order.url());
    return order.module() + " " + order.version() + " " + order.status();
  }

  private ObjectNode last(String op) {
    List<ObjectNode> all =
        node.agents.get("jane").asked.stream()
            .filter(o -> o.path("op").asText().equals(op))
            .toList();
    return all.get(all.size() - 1);
  }

  // ---- of the node

  @Test
  void theNodeTellsModulesWhereTheNetworkReachesThemAndNobodyElseDoes() throws Exception {
    String listen = "udp/203.0.113.1/32/3478";
    node.settings.publishers.get("jane").properties = Map.of("netserv.listen", listen);
    running(setup().set(Header.PROPERTIES, "a=b,netserv.listen=mine,netserv.other=mine"));
    assertEquals(
        "{\"a\":\"b\",\"netserv.listen\":\"" + listen + "\"}",
        last("install").path("properties").toString());
  }

  // ---- sealed

  @Test
  void sealedPropertiesReachTheModuleBesideTheOpenOnes() throws Exception {
    String sealed = Sealed.encrypt(Map.of("key", "s3cret"), List.of(node.identity.publicKey()));
    running(setup().set(Header.PROPERTIES, "pass-every=0,key=open").set(Header.SEALED, sealed));
    ObjectNode properties = (ObjectNode) last("install").path("properties");
    assertEquals("0", properties.path("pass-every").asText());
    assertEquals("s3cret", properties.path("key").asText(), "what is sealed wins");
    assertTrue(node.auditLines().stream().noneMatch(l -> l.contains("s3cret")));
  }

  @Test
  void sealedForAnotherNodeIsRefused() throws Exception {
    NodeIdentity other = NodeIdentity.generate(new SecureRandom());
    Object before = node.log.snapshot().image();
    for (String sealed :
        List.of(Sealed.encrypt(Map.of("k", "v"), List.of(other.publicKey())), "AAAA")) {
      NcmReply reply = node.ask(setup().set(Header.SEALED, sealed));
      assertTrue(reply.answer().status() >= 400, reply.answer().reason());
      assertEquals("sealed", reply.answer().header());
    }
    assertEquals(before, node.log.snapshot().image());
    assertEquals(List.of(), told(), "a refused message ends nothing");
  }

  // ---- notification

  @Test
  void everyEndStateIsToldOnce() throws Exception {
    running(setup());
    assertEquals(List.of("a.b 1.0.0 200"), told());
    running(setup().set(Header.PROPERTIES, "k=v"));
    assertEquals(List.of("a.b 1.0.0 200", "a.b 1.0.0 200"), told(), "a refresh ends, too");
    node.jobs.told.clear();
    node.jobs.fail = FetchOutcome.failed(504, "url", "no bundle within 60 s");
    node.ask(node.setup("jane", "a.b", "2.0.0").set(Header.NOTIFICATION, URL));
    assertEquals(List.of("a.b 2.0.0 504"), told());
    node.jobs.told.clear();
    node.ask(node.remove("jane", "a.b").set(Header.NOTIFICATION, URL));
    assertEquals(List.of("a.b 1.0.0 200", "a.b null 200"), told(), "the SETUP's and the REMOVE's");
  }

  @Test
  void expiryIsTold() throws Exception {
    running(setup().set(Header.TTL, 30));
    node.jobs.told.clear();
    node.loop.advance(31_000);
    assertEquals(List.of("a.b 1.0.0 410"), told());
  }

  // ---- refresh

  @Test
  void aRefusedRefreshChangesNothing() throws Exception {
    running(setup().set(Header.PROPERTIES, "k=old"));
    Object before = node.log.snapshot().image().modules();
    node.loop.advance(10_000);
    for (String to : List.of("198.51.100.7", "198.51.100.8")) {
      node.jobs.told.clear();
      node.agents.get("jane").refuseConfigure = true;
      Ncm refresh = SmallNode.sign(setup().set(Header.PROPERTIES, "k=new").set(Header.TO, to));
      NcmReply reply = node.ask(refresh);
      assertEquals(500, reply.answer().status());
      assertEquals("no such property", reply.answer().reason());
      assertEquals(before, node.log.snapshot().image().modules(), "claims, too");
      assertEquals("old", last("configure").path("properties").path("k").asText());
      assertEquals(List.of("a.b 1.0.0 500"), told());
      assertEquals(500, node.ask(refresh).answer().status(), "the stored answer");
    }
    node.spawner.refuseFilters = "iptables";
    assertEquals(500, node.ask(setup().set(Header.FILTER_PORT, "7000")).answer().status());
    node.spawner.refuseFilters = "";
    running(setup().set(Header.PROPERTIES, "k=old"));
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.0/24 dport=5060-5060 queue=0"),
        node.spawner.filters);
  }

  @Test
  void aRefreshDuringARecoveryIsAnsweredWhenItIsInForce() throws Exception {
    running(setup().set(Header.PROPERTIES, "k=old"));
    node.jobs.told.clear();
    node.die("jane", "");
    List<NcmReply> replies = node.send(SmallNode.sign(setup().set(Header.PROPERTIES, "k=new")));
    assertEquals(List.of(), replies);
    node.loop.advance(5_000);
    assertEquals(200, replies.get(0).answer().status());
    assertEquals("new", last("install").path("properties").path("k").asText());
    assertEquals(List.of("a.b 1.0.0 200"), told());
  }

  @Test
  void aRefreshDuringAReinstallIsNotLost() throws Exception {
    running(setup().set(Header.PROPERTIES, "k=old"));
    node.greet = false;
    node.die("jane", "");
    node.loop.advance(2_000);
    FakeAgent slow = new FakeAgent(node.loop);
    slow.delay = 1_000;
    node.agents.put("jane", slow);
    node.controller.containers().greeted(node.uid("jane"), slow, slow.hello());
    node.loop.run();
    assertEquals("old", last("install").path("properties").path("k").asText());
    List<NcmReply> replies = node.send(SmallNode.sign(setup().set(Header.PROPERTIES, "k=new")));
    node.loop.advance(5_000);
    assertEquals(200, replies.get(0).answer().status());
    assertEquals("new", last("configure").path("properties").path("k").asText());
  }

  // ---- killed between the end and the answer

  @Test
  void anEndThatWasNotToldIsToldAfterTheRestart() throws Exception {
    node.jobs.hold = true;
    Ncm ncm = SmallNode.sign(setup());
    node.send(ncm);
    String sha256 = SmallNode.digest("a.b1.0.0");
    node.store.put(sha256, new byte[1]);
    node.log.append(List.of(new LogRecord.Running(node.loop.wall(), "jane", "a.b", sha256)));
    node = node.restart().begin();
    node.loop.advance(5_000);
    assertEquals(List.of("a.b 1.0.0 200"), told());
    assertEquals(200, node.ask(ncm).answer().status());
    node = node.restart().begin();
    node.loop.advance(5_000);
    assertEquals(List.of(), told(), "once");
  }

  @Test
  void theLogAnswersForAnEndThatWasNotRecorded() throws Exception {
    node.jobs.hold = true;
    Ncm lost = SmallNode.sign(node.setup("jane", "lost.one", "1.0.0"));
    node.send(lost);
    node.log.append(List.of(new LogRecord.Failed(node.loop.wall(), "jane", "lost.one", "x")));
    node.jobs.hold = false;
    running(setup());
    node.agents.get("jane").silent = true;
    Ncm remove = SmallNode.sign(node.remove("jane", "a.b"));
    assertEquals(List.of(), node.send(remove));
    node = node.restart().begin();
    assertEquals(200, node.ask(remove).answer().status());
    NcmReply reply = node.ask(lost);
    assertEquals(500, reply.answer().status());
    assertTrue(reply.answer().reason().contains("another SETUP"), reply.answer().reason());
    assertEquals(List.of(), node.jobs.fetched);
  }

  @Test
  void whyRemembersTheAcceptanceAcrossARestart() throws Exception {
    running(setup());
    node.loop.advance(60_000);
    node.spawner.running.clear();
    node = node.restart().begin();
    node.loop.advance(5_000);
    ObjectNode why = node.op(SmallNode.request("why").put("module", "a.b"));
    assertEquals("running", why.path("state").asText());
    ObjectNode first = (ObjectNode) why.path("history").path(0);
    assertEquals("2026-01-02T03:04:05Z", first.path("time").asText());
    assertEquals("SETUP of version 1.0.0 accepted, says the log", first.path("reason").asText());
    assertEquals(
        "found in the log at the controller's start",
        why.path("history").path(1).path("reason").asText());
  }

  // ---- policy, while a version is under way

  @Test
  void aReloadNarrowsWhatIsUnderWay() throws Exception {
    node.jobs.hold = true;
    List<NcmReply> replies = node.send(SmallNode.sign(setup()));
    node.settings.publishers.get("jane").prefix = "192.0.2.128/25";
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    node.jobs.release();
    node.loop.run();
    assertEquals(200, replies.get(0).answer().status());
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.128/25 dport=5060-5060 queue=0"),
        node.spawner.filters);
  }

  @Test
  void aReloadNarrowsTheKernelWhateverTheAgentSays() throws Exception {
    running(setup());
    node.agents.get("jane").refuseConfigure = true;
    node.settings.publishers.get("jane").prefix = "192.0.2.128/25";
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.128/25 dport=5060-5060 queue=0"),
        node.spawner.filters);
  }
}
