// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.Origin;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.process.ForeignText;
import org.netserv.process.SourceKey;

/**
 * Each refusal of the pipeline: status, header, nothing changed, counted, one audit line.
 * Repetitions of accepted messages, too.
 */
final class PipelineTest extends LivingNode {
  /** Asserts a refusal that leaves everything as it was. */
  private void refused(int status, String header, String countedAs, Ncm ncm) throws IOException {
    Object before = node.log.snapshot().image();
    int lines = node.auditLines().size();
    long counted = node.controller.service().refusals().counts().getOrDefault(countedAs, 0L);
    NcmReply reply = node.ask(ncm);
    assertEquals(status, reply.answer().status(), reply.answer().reason());
    assertEquals(header, reply.answer().header());
    assertEquals(before, node.log.snapshot().image());
    assertEquals(lines + 1, node.auditLines().size());
    assertEquals(counted + 1, node.controller.service().refusals().counts().get(countedAs));
  }

  private static Ncm sign(Ncm.Builder builder) throws NcmException {
    return SmallNode.sign(builder);
  }

  @Test
  void acceptsAndRuns() throws Exception {
    NcmReply reply = node.ask(node.setup("jane", "a.b", "1.0.0"));
    assertEquals(200, reply.answer().status(), reply.answer().reason());
    assertEquals("1.0.0", node.agents.get("jane").modules.get("a.b"));
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.0/24 dport=5060-5060 queue=0"),
        node.spawner.filters);
    assertEquals(0, node.log.snapshot().index("jane").getAsInt());
  }

  @Test
  void unknownPublisher() throws Exception {
    refused(403, "user", "403 user", sign(node.setup("nobody", "a.b", "1.0.0")));
  }

  @Test
  void revokedPublisher() throws Exception {
    node.settings.publishers.get("jane").revoked = true;
    refused(403, "user", "403 user", sign(node.setup("jane", "a.b", "1.0.0")));
  }

  @Test
  void missingHeader() throws Exception {
    refused(400, "ttl", "400 ttl", sign(node.setup("jane", "a.b", "1.0.0").unset(Header.TTL)));
    refused(400, "signature", "400 signature", node.setup("jane", "a.b", "1.0.0").build());
  }

  @Test
  void foreignSignature() throws Exception {
    Ncm ncm = node.setup("jane", "a.b", "1.0.0").build();
    refused(401, "signature", "401 signature", NcmSigner.sign(ncm, SmallNode.JOHN.getPrivate()));
  }

  @Test
  void changedAfterSigning() throws Exception {
    Ncm ncm = sign(node.setup("jane", "a.b", "1.0.0"));
    refused(401, "signature", "401 signature", ncm.toBuilder().set(Header.TTL, 9999).build());
  }

  @Test
  void staleAndFutureDates() throws Exception {
    Instant now = Instant.ofEpochMilli(node.loop.wall());
    refused(
        403,
        "date",
        "403 date",
        sign(node.setup("jane", "a.b", "1.0.0").date(now.minusSeconds(301))));
    refused(
        403,
        "date",
        "403 date",
        sign(node.setup("jane", "a.b", "1.0.0").date(now.plusSeconds(301))));
    assertTrue(
        node.auditLines().get(1).contains(now.toString()), "the refusal tells the node's clock");
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "1.0.0").date(now.minusSeconds(300))).answer().status());
  }

  @Test
  void repetitionGetsTheStoredAnswer() throws Exception {
    Ncm ncm = sign(node.setup("jane", "a.b", "1.0.0"));
    NcmReply first = node.ask(ncm);
    Object state = node.log.snapshot().image();
    NcmReply again = node.ask(ncm);
    assertEquals(first.answer(), again.answer());
    assertEquals(state, node.log.snapshot().image());
    assertEquals(1, node.jobs.fetched.size());
  }

  @Test
  void repetitionWhileUnderWayHearsTheEnd() throws Exception {
    node.jobs.hold = true;
    Ncm ncm = sign(node.setup("jane", "a.b", "1.0.0"));
    List<NcmReply> first = node.send(ncm);
    List<NcmReply> second = node.send(ncm);
    assertEquals(0, first.size() + second.size());
    node.jobs.release();
    node.loop.run();
    assertEquals(200, first.get(0).answer().status());
    assertEquals(200, second.get(0).answer().status());
    assertEquals(1, node.jobs.fetched.size());
  }

  @Test
  void noncesAreForgottenByTheClock() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    node.ask(node.remove("jane", "a.b"));
    assertEquals(2, node.log.snapshot().image().nonces().size());
    node.loop.advance(2 * node.settings.window() - 60_001);
    assertEquals(2, node.log.snapshot().image().nonces().size(), "they may still come again");
    node.loop.advance(180_000);
    assertEquals(0, node.log.snapshot().image().nonces().size(), "without another message");
  }

  @Test
  void anErrorOfTwoMegabytesIsCutWhereverItIsKept() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    FakeAgent agent = node.agents.get("jane");
    agent.badVersion = "1.0.1";
    agent.error = "x".repeat(2 << 20);
    Ncm ncm = sign(node.setup("jane", "a.b", "1.0.1"));
    NcmReply reply = node.ask(ncm);
    assertEquals(500, reply.answer().status());
    assertTrue(reply.answer().reason().startsWith("start: xxxx"), reply.answer().reason());
    assertTrue(reply.answer().reason().length() <= ForeignText.MAX);
    assertEquals(reply.answer(), node.ask(ncm).answer(), "a repetition gets the same");
    ObjectNode why =
        node.op(SmallNode.request("why").put("module", "a.b").put("publisher", "jane"));
    assertTrue(why.toString().length() < 16 << 10, why.toString().length() + " characters");
    long file = Files.size(node.directory.resolve("log.mv"));
    assertTrue(file < 256 << 10, file + " bytes of log");
  }

  @Test
  void refusalsAreRecordedAtARateAndAcknowledgementsAlways() throws Exception {
    InetAddress address = InetAddress.getByName("203.0.113.9");
    Origin stranger = new Origin(address, SourceKey.of(address));
    for (int i = 0; i < 300; i++) {
      Ncm ncm = sign(node.setup("nobody", "a.b", "1.0." + i));
      node.send(new NcmRequest(ncm, "test", 0, Optional.empty(), true, Optional.of(stranger)));
    }
    assertEquals(60, node.auditLines().size(), "of one source a minute");
    for (int i = 0; i < 1000; i++) {
      Ncm ncm = sign(node.setup("nobody", "a.b", "2.0." + i));
      InetAddress other = InetAddress.getByName("203.0." + i / 200 + "." + i % 200);
      Origin origin = new Origin(address, SourceKey.of(other));
      node.send(new NcmRequest(ncm, "test", 0, Optional.empty(), true, Optional.of(origin)));
    }
    assertEquals(600, node.auditLines().size(), "of all sources a minute");
    assertEquals(1300, node.controller.service().refusals().counts().get("403 user"));
    for (int i = 0; i < 20; i++) {
      node.ask(node.setup("jane", "a.b", "1.0.0"));
    }
    assertEquals(620, node.auditLines().size());
    node.loop.advance(60_000);
    List<String> counts =
        node.auditLines().stream().filter(l -> l.contains("\"suppressed\"")).toList();
    assertTrue(
        counts.get(0).contains("\"from\":\"203.0.113.9\",\"suppressed\":240"), counts.get(0));
    long sum = 0;
    for (String line : counts) {
      sum += new ObjectMapper().readTree(line).path("suppressed").asLong();
    }
    assertEquals(700, sum);
    assertTrue(counts.size() <= 17, counts.size() + " lines");
  }

  @Test
  void nonceInAnotherMessage() throws Exception {
    Ncm first = sign(node.setup("jane", "a.b", "1.0.0"));
    node.ask(first);
    refused(
        409,
        "nonce",
        "409 nonce",
        sign(node.setup("jane", "a.b", "2.0.0").set(Header.NONCE, first.get(Header.NONCE))));
  }

  @Test
  void seqMustGrow() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 10));
    refused(409, "seq", "409 seq", sign(node.setup("jane", "a.b", "2.0.0").set(Header.SEQ, 10)));
    refused(409, "seq", "409 seq", sign(node.remove("jane", "a.b").set(Header.SEQ, 9)));
    assertTrue(node.auditLines().get(2).contains("10"), "the refusal tells the last accepted one");
    assertEquals(
        200, node.ask(node.setup("jane", "c.d", "1.0.0").set(Header.SEQ, 1)).answer().status());
    // The number is unsigned. -1 is the highest, and far ahead of the node's clock.
    refused(403, "seq", "403 seq", sign(node.setup("jane", "a.b", "2.0.0").set(Header.SEQ, -1L)));
  }

  @Test
  void aSetupOvertakenByTheStarStaysRemoved() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 5));
    Ncm late = sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 6));
    assertEquals(200, node.ask(node.remove("jane", "*").set(Header.SEQ, 7)).answer().status());
    refused(409, "seq", "409 seq", late);
    assertEquals(
        200, node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 8)).answer().status());
  }

  @Test
  void tooManySetups() throws Exception {
    node.settings.publishers.get("jane").setups = 2;
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    node.ask(node.setup("jane", "c.d", "1.0.0"));
    refused(429, null, "429 rate", sign(node.setup("jane", "e.f", "1.0.0")));
    assertEquals(
        200,
        node.ask(node.setup("john", "a.b", "1.0.0")).answer().status(),
        "others are not concerned");
    node.loop.advance(30_000);
    assertEquals(200, node.ask(node.setup("jane", "e.f", "1.0.0")).answer().status());
  }

  @Test
  void addressedToOthers() throws Exception {
    refused(
        421,
        "node-id",
        "421 node-id",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.NODE_ID, "b".repeat(26))));
    Ncm last = sign(node.setup("jane", "a.b", "1.0.0").set(Header.WHERE, "last"));
    NcmReply reply =
        node.send(new NcmRequest(last, "signaling", 0, Optional.empty(), false)).get(0);
    assertEquals(421, reply.answer().status());
    assertEquals("where", reply.answer().header());
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.NODE_ID, node.identity.nodeId()))
            .answer()
            .status());
  }

  @Test
  void otherPathThanItsDestination() throws Exception {
    Ncm ncm = sign(node.setup("jane", "a.b", "1.0.0"));
    Optional<InetAddress> elsewhere =
        Optional.of(InetAddress.getByAddress(new byte[] {(byte) 203, 0, 113, 9}));
    NcmReply reply = node.send(new NcmRequest(ncm, "signaling", 0, elsewhere, true)).get(0);
    assertEquals(403, reply.answer().status());
    assertEquals("to", reply.answer().header());
  }

  @Test
  void missingDependency() throws Exception {
    refused(
        424,
        "dependencies",
        "424 dependencies",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.DEPENDENCIES, "org.netserv.sip;1.0")));
    refused(
        424,
        "dependencies",
        "424 dependencies",
        sign(
            node.setup("jane", "a.b", "1.0.0")
                .set(Header.DEPENDENCIES, "org.netserv.packet-api;[1.0,2.0)")));
    assertEquals(
        200,
        node.ask(
                node.setup("jane", "a.b", "1.0.0")
                    .set(Header.DEPENDENCIES, "org.netserv.packet-api;[0.1,1)"))
            .answer()
            .status());
  }

  @Test
  void policySaysNo() throws Exception {
    node.settings.publishers.get("jane").refusal =
        new NcmException(403, Header.FILTER_PORT, "not granted");
    refused(403, "filter-port", "403 filter-port", sign(node.setup("jane", "a.b", "1.0.0")));
  }

  @Test
  void tooManyModules() throws Exception {
    node.settings.publishers.get("jane").modules = 1;
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    refused(403, null, "403 policy", sign(node.setup("jane", "c.d", "1.0.0")));
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "2.0.0")).answer().status(),
        "a new version is no new module");
  }

  @Test
  void anIndexIsGivenOnce() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    node.settings.publishers.get("john").index = 0;
    refused(403, "user", "403 user", sign(node.setup("john", "a.b", "1.0.0")));
    node.settings.publishers.get("jane").index = 5;
    refused(403, "user", "403 user", sign(node.setup("jane", "c.d", "1.0.0")));
  }

  @Test
  void noVersion() throws Exception {
    refused(400, null, "400 malformed", sign(node.setup("jane", "a.b", null)));
  }

  @Test
  void twoSetupsAtOnce() throws Exception {
    node.jobs.hold = true;
    List<NcmReply> first = node.send(sign(node.setup("jane", "a.b", "1.0.0")));
    refused(409, null, "409 busy", sign(node.setup("jane", "a.b", "1.0.0")));
    node.jobs.release();
    node.loop.run();
    assertEquals(200, first.get(0).answer().status());
  }

  @Test
  void sameVersionOtherBundle() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    refused(
        409,
        "digest",
        "409 digest",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.DIGEST, "cd".repeat(32))));
  }

  @Test
  void noSpawner() throws Exception {
    node.controller.disconnected();
    refused(503, null, "503 unavailable", sign(node.setup("jane", "a.b", "1.0.0")));
  }

  @Test
  void removeWhatIsNotThere() throws Exception {
    refused(404, null, "404 no-module", sign(node.remove("jane", "a.b")));
    refused(404, null, "404 no-module", sign(node.remove("jane", "*")));
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    refused(404, "to", "404 to", sign(node.remove("jane", "a.b").set(Header.TO, "198.51.100.8")));
    refused(404, null, "404 no-module", sign(node.remove("john", "a.b")));
  }

  @Test
  void legacyOnlyWherePolicySaysSo() throws Exception {
    Ncm.Builder paper =
        Ncm.builder(Method.SETUP, "a.b")
            .version("1.0.0")
            .protocol(Ncm.LEGACY)
            .set(Header.USER, "jane")
            .set(Header.TTL, 60)
            .set(Header.URL, "http://publisher.example/a.jar")
            .set(Header.FILTER_PORT, "5060")
            .set(Header.FILTER_PROTO, "udp");
    refused(400, "digest", "400 digest", sign(paper));
    node.settings.publishers.get("jane").legacy = true;
    assertEquals(200, node.ask(paper).answer().status());
    assertEquals("ab".repeat(32), node.log.snapshot().modules().get(0).current().sha256());
    assertEquals(
        200, node.ask(paper).answer().status(), "without a nonce a repetition is a refresh");
    assertEquals(1, node.jobs.fetched.size());
  }

  @Test
  void answersUnderWayWhenTheTimeIsOver() throws Exception {
    node.jobs.hold = true;
    Ncm ncm =
        sign(
            node.setup("jane", "a.b", "1.0.0")
                .set(Header.NOTIFICATION, "http://publisher.example/rpc"));
    List<NcmReply> replies = node.send(ncm);
    node.loop.advance(14_999);
    assertEquals(0, replies.size());
    node.loop.advance(1);
    assertEquals(202, replies.get(0).answer().status());
    node.jobs.release();
    node.loop.run();
    assertEquals(1, replies.size());
    assertEquals(200, node.ask(ncm).answer().status(), "the end state is the stored answer");
    assertEquals(1, node.jobs.told.size());
    assertEquals(200, node.jobs.told.get(0).status());
  }

  @Test
  void failedFetchLeavesNothing() throws Exception {
    node.jobs.fail = FetchOutcome.failed(504, "url", "no bundle within 60 s");
    NcmReply reply = node.ask(node.setup("jane", "a.b", "1.0.0"));
    assertEquals(504, reply.answer().status());
    assertEquals("url", reply.answer().header());
    assertEquals(List.of(), node.log.snapshot().modules());
    assertEquals(List.of(), node.controller.modules().lives());
    assertEquals(0, node.spawner.count("start"));
  }

  @Test
  void auditLinesAreChained() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    node.ask(node.setup("nobody", "a.b", "1.0.0"));
    node.ask(node.remove("jane", "a.b"));
    List<String> lines = node.auditLines();
    assertEquals(3, lines.size());
    String previous = "0".repeat(64);
    for (String line : lines) {
      Map<?, ?> entry = new ObjectMapper().readValue(line, Map.class);
      assertEquals(previous, entry.get("prev"));
      previous = org.netserv.controller.ncm.AuditLogTest.sha256(line);
    }
  }

  @Test
  void probeByAStranger() throws Exception {
    Ncm stranger = Ncm.builder(Method.PROBE, "a.b").set(Header.PROBE, "node,module").build();
    ObjectNode data = node.ask(stranger).data();
    assertEquals("absent", data.path("module").path("state").asText());
    assertEquals("0.1.0", data.path("node").path("version").asText());
    assertEquals(node.identity.nodeId(), data.path("node").path("id").asText());
    assertFalse(data.path("node").has("uptime"), "not for strangers");
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    assertEquals(
        "absent", node.ask(stranger).data().path("module").path("state").asText(), "not public");
    node.settings.publishers.get("jane").publicModules = true;
    assertEquals("running", node.ask(stranger).data().path("module").path("state").asText());
    assertEquals(429, node.ask(stranger).answer().status());
    node.loop.advance(60_000);
    Ncm curious = Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "resources").build();
    NcmReply reply = node.ask(curious);
    assertEquals(403, reply.answer().status());
    assertEquals("probe", reply.answer().header());
  }

  @Test
  void aProbeOfTheNodeListsThePublishersOwnModules() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    node.ask(node.setup("jane", "c.d", "2.0.0"));
    node.ask(node.setup("john", "e.f", "1.0.0"));
    assertEquals(
        "[{\"module\":\"a.b\",\"version\":\"1.0.0\",\"state\":\"running\"},"
            + "{\"module\":\"c.d\",\"version\":\"2.0.0\",\"state\":\"running\"}]",
        janesModules().toString());
    Ncm stranger = Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build();
    assertFalse(node.ask(stranger).data().path("node").has("modules"));
  }

  @Test
  void longNamesOfModulesLeaveRoomInTheAnswer() throws Exception {
    for (int i = 0; i < 10; i++) {
      node.ask(node.setup("jane", "m".repeat(100) + i, "1.0.0"));
    }
    assertEquals(9, janesModules().size());
  }

  private JsonNode janesModules() throws Exception {
    Ncm.Builder probe =
        node.message(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node"), "jane");
    return node.ask(probe).data().path("node").path("modules");
  }

  @Test
  void probeByAPublisher() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    Files.writeString(directory.resolve("loadavg"), "1000.00 9.00 9.00 2/200 4711\n");
    Files.writeString(directory.resolve("meminfo"), "MemAvailable:    3000000 kB\n");
    Ncm.Builder probe =
        Ncm.builder(Method.PROBE, "a.b")
            .set(Header.PROBE, "module,node,resources,capabilities,policy")
            .set(Header.USER, "jane")
            .date(Instant.ofEpochMilli(node.loop.wall()))
            .nonce(new byte[16])
            .set(Header.TO, "198.51.100.7");
    ObjectNode data = node.ask(probe).data();
    assertEquals("1.0.0", data.path("module").path("version").asText());
    assertEquals(0, data.path("node").path("uptime").asLong(-1));
    assertEquals("127.0.0.1", data.path("node").path("address").asText());
    assertEquals("netfilter-queue", data.path("capabilities").path("planes").path(0).asText());
    assertTrue(data.path("capabilities").path("layers").isArray());
    assertEquals(
        System.getProperty("java.version"), data.path("capabilities").path("jvm").asText());
    assertEquals(10, data.path("policy").path("modules").asInt());
    assertEquals("base-1", data.path("capabilities").path("profile").asText());
    assertEquals(
        "0.1.0", data.path("capabilities").path("blocks").path("org.netserv.packet-api").asText());
    assertEquals("prefix 192.0.2.0/24", data.path("policy").path("grants").path(0).asText());
    assertEquals(128, data.path("policy").path("memory").asInt());
    assertEquals(50, data.path("policy").path("cpu").asInt());
    assertEquals("few", data.path("resources").path("modules").asText());
    assertEquals("few", data.path("resources").path("containers").asText());
    assertEquals(9, data.path("resources").path("modulesLeft").asInt());
    assertEquals("high", data.path("resources").path("load").asText());
    assertEquals(2048, data.path("resources").path("memory").asInt());
    assertEquals(
        401,
        node.ask(NcmSigner.sign(probe.build(), SmallNode.JOHN.getPrivate())).answer().status());
    node.loop.advance(301_000);
    assertEquals(403, node.ask(probe).answer().status());
    assertNull(node.ask(probe).data());
  }
}
