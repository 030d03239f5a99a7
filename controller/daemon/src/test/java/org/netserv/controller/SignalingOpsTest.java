// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.frames.Json;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.Trigger;
import org.netserv.values.Addresses;
import org.netserv.values.PublisherKeys;

/** The requests that the on-path signaling daemon may make, and their answers. */
class SignalingOpsTest {
  private static final String PATH_END = "198.51.100.7";

  /** Within the prefix that the fake policy grants. */
  private static final String FAR = "192.0.2.9";

  @TempDir Path directory;
  private SmallNode node;
  private int number;

  @BeforeEach
  void start() throws Exception {
    node = SmallNode.fresh(directory);
  }

  private static ObjectNode path(ObjectNode request, String destination, boolean last) {
    request
        .putObject("path")
        .put("interface", "2")
        .put("source", "203.0.113.1")
        .put("destination", destination)
        .put("last", last);
    return request;
  }

  private ObjectNode ncm(Ncm ncm, String destination, boolean last) {
    ObjectNode request =
        SmallNode.request("ncm").put("tlv", SmallNode.base64(NcmBinary.encode(ncm)));
    return node.signaling(path(request, destination, last));
  }

  private ObjectNode trigger(Trigger trigger, String destination, boolean last) {
    ObjectNode request =
        SmallNode.request("trigger").put("tlv", SmallNode.base64(trigger.encode()));
    return node.signaling(path(request, destination, last));
  }

  private byte[] nonce() {
    byte[] nonce = new byte[16];
    nonce[0] = (byte) (++number >> 8);
    nonce[1] = (byte) number;
    return nonce;
  }

  private Ncm.Builder probe(String user, String to) throws Exception {
    return Ncm.builder(Method.PROBE, "*")
        .set(Header.PROBE, "node")
        .set(Header.USER, user)
        .date(Instant.ofEpochMilli(node.loop.wall()))
        .nonce(nonce())
        .to(Addresses.parse(to));
  }

  private Trigger wrap(Ncm inside, KeyPair keys) throws Exception {
    return wrap(inside, keys, nonce(), node.loop.wall());
  }

  private static Trigger wrap(Ncm inside, KeyPair keys, byte[] nonce, long date) throws Exception {
    InetAddress to = Addresses.parse(PATH_END);
    return Trigger.sign(inside, to, Instant.ofEpochMilli(date), nonce, keys.getPrivate());
  }

  private Trigger janes() throws Exception {
    return wrap(SmallNode.sign(probe("jane", FAR)), SmallNode.JANE);
  }

  private static void refused(int status, String header, ObjectNode reply) {
    assertTrue(reply.path("ok").asBoolean());
    assertEquals(status, reply.path("status").asInt(), reply.toString());
    assertEquals(header, reply.path("header").asText());
    assertFalse(reply.has("message"));
  }

  private ObjectNode sign(String ticket, ResponseEntry below) {
    ObjectNode request = SmallNode.request("sign").put("ticket", ticket);
    if (below != null) {
      request.put("below", SmallNode.base64(below.encode()));
    }
    return node.signaling(request);
  }

  private static ResponseEntry entry(ObjectNode reply) throws NcmException {
    assertTrue(reply.path("ok").asBoolean(), reply.toString());
    return ResponseEntry.decode(Base64.getDecoder().decode(reply.path("entry").asText()));
  }

  // ---- ncm and sign

  @Test
  void aTicketBecomesAnEntryInItsPlace() throws Exception {
    Ncm ncm = SmallNode.sign(probe("jane", PATH_END));
    ObjectNode reply = ncm(ncm, PATH_END, false);
    assertEquals(200, reply.path("status").asInt(), reply.toString());
    assertFalse(reply.has("stack"));
    ResponseEntry bottom = entry(sign(reply.path("ticket").asText(), null));
    ResponseEntry top = entry(sign(reply.path("ticket").asText(), bottom));
    ResponseStack stack = ResponseStack.of(List.of(bottom, top));
    List<ResponseStack.Checked> checked =
        stack.verify(ncm.nonce().orElseThrow(), Set.of(node.identity.nodeId()));
    assertEquals(ResponseStack.Signer.VERIFIED, checked.get(0).signer());
    assertEquals(ResponseStack.Signer.VERIFIED, checked.get(1).signer());
    assertEquals(
        ResponseStack.Signer.FORGED,
        ResponseStack.of(List.of(top)).verify(ncm.nonce().orElseThrow(), Set.of()).get(0).signer());
    assertEquals(200, top.status());
    assertTrue(top.data().contains("\"version\":\"0.1.0\""), top.data());
  }

  @Test
  void ticketsEnd() throws Exception {
    String ticket =
        ncm(SmallNode.sign(probe("jane", PATH_END)), PATH_END, false).path("ticket").asText();
    assertFalse(sign("0".repeat(32), null).path("ok").asBoolean());
    assertFalse(sign("", null).path("ok").asBoolean());
    node.loop.advance(119_999);
    assertTrue(sign(ticket, null).path("ok").asBoolean());
    node.loop.advance(1);
    assertFalse(sign(ticket, null).path("ok").asBoolean());
  }

  @Test
  void theOldestOfTooManyTicketsIsForgotten() throws Exception {
    ObjectNode bad = SmallNode.request("ncm").put("tlv", "AAAA");
    List<String> tickets = new ArrayList<>();
    for (int i = 0; i < 4097; i++) {
      tickets.add(node.signaling(bad).path("ticket").asText());
    }
    assertFalse(sign(tickets.get(0), null).path("ok").asBoolean());
    assertTrue(sign(tickets.get(1), null).path("ok").asBoolean());
    assertEquals(4097, Set.copyOf(tickets).size());
  }

  @Test
  void whatDoesNotReadIsAnEntryToo() throws Exception {
    ObjectNode reply = node.signaling(SmallNode.request("ncm").put("tlv", "AAAA"));
    refused(400, "null", reply);
    ResponseEntry entry = entry(sign(reply.path("ticket").asText(), null));
    assertEquals(400, entry.status());
    assertEquals(
        ResponseStack.Signer.UNKNOWN,
        ResponseStack.of(List.of(entry)).verify(new byte[0]).get(0).signer());
    refused(400, "null", node.signaling(SmallNode.request("ncm").put("tlv", "?")));
    refused(400, "null", node.signaling(SmallNode.request("ncm")));
    refused(400, "null", node.signaling(SmallNode.request("trigger").put("tlv", "AAAA")));
  }

  @Test
  void badEntriesBelowAreRefused() throws Exception {
    String ticket =
        ncm(SmallNode.sign(probe("jane", PATH_END)), PATH_END, false).path("ticket").asText();
    for (String below : List.of("AAAA", "?", "")) {
      ObjectNode request = SmallNode.request("sign").put("ticket", ticket).put("below", below);
      assertFalse(node.signaling(request).path("ok").asBoolean(), below);
    }
  }

  @Test
  void whoIsNotAddressedGetsNoTicket() throws Exception {
    Ncm last = SmallNode.sign(probe("jane", PATH_END).set(Header.WHERE, "last"));
    ObjectNode reply = ncm(last, PATH_END, false);
    refused(421, "where", reply);
    assertFalse(reply.has("ticket"));
    assertEquals(200, ncm(last, PATH_END, true).path("status").asInt());
  }

  @Test
  void thePathMustBeKnownAndTheMessages() throws Exception {
    Ncm ncm = SmallNode.sign(probe("jane", PATH_END));
    refused(403, "to", ncm(ncm, "198.51.100.8", false));
    String tlv = SmallNode.base64(NcmBinary.encode(ncm));
    refused(403, "to", node.signaling(SmallNode.request("ncm").put("tlv", tlv)));
    ObjectNode noSource = SmallNode.request("ncm").put("tlv", tlv);
    noSource.putObject("path").put("destination", PATH_END);
    refused(403, "to", node.signaling(noSource));
    refused(400, "null", ncm(ncm, "localhost", false));
  }

  private ObjectNode by(String peer, Ncm ncm) throws Exception {
    ObjectNode request =
        SmallNode.request("ncm").put("tlv", SmallNode.base64(NcmBinary.encode(ncm)));
    path(request, PATH_END, false);
    ((ObjectNode) request.path("path")).put("peer", peer);
    return node.signaling(request);
  }

  @Test
  void badSignaturesCountForThePeerThatBroughtThem() throws Exception {
    Ncm forged = NcmSigner.sign(probe("jane", PATH_END).build(), SmallNode.JOHN.getPrivate());
    int looked = 0;
    while (by("192.0.2.66", forged).path("status").asInt() == 401) {
      looked++;
    }
    assertEquals(6_000, looked);
    refused(429, "signature", by("192.0.2.66", forged));
    // Another peer brings the same name and the same flow. Neither is used up.
    refused(401, "signature", by("192.0.2.67", forged));
    Ncm janes = SmallNode.sign(probe("jane", PATH_END));
    assertEquals(200, by("192.0.2.67", janes).path("status").asInt());
    node.loop.advance(10_000);
    refused(401, "signature", by("192.0.2.66", forged));
    assertEquals(200, by("192.0.2.66", janes).path("status").asInt());
  }

  /**
   * Finding 8 of the audit: messages that a third party sends in a publisher's name do not count
   * for the publisher.
   */
  @Test
  void nobodyUsesUpThePublishersRate() throws Exception {
    node.settings.publishers.get("jane").setups = 2;
    Ncm.Builder setup = node.setup("jane", "a.b", "1.0.0").to(Addresses.parse(PATH_END));
    Ncm forged = NcmSigner.sign(setup.build(), SmallNode.JOHN.getPrivate());
    for (int i = 0; i < 50; i++) {
      refused(401, "signature", by("192.0.2.66", forged));
    }
    // The publisher signs a message that is refused later. A third party sends it again.
    Ncm elsewhere =
        SmallNode.sign(
            node.setup("jane", "a.b", "1.0.0")
                .to(Addresses.parse("198.51.100.99"))
                .set(Header.NODE_ID, "a".repeat(26)));
    for (int i = 0; i < 50; i++) {
      refused(421, "node-id", by("192.0.2.66", elsewhere));
    }
    assertEquals(200, by("192.0.2.1", SmallNode.sign(setup)).path("status").asInt());
    refused(
        429,
        "null",
        by(
            "192.0.2.1",
            SmallNode.sign(node.setup("jane", "c.d", "1.0.0").to(Addresses.parse(PATH_END)))));
  }

  @Test
  void strangersHaveARateForEachSource() throws Exception {
    Ncm stranger = Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build();
    for (int i = 0; i < 3; i++) {
      assertEquals(200, by("192.0.2.66", stranger).path("status").asInt());
    }
    refused(429, "null", by("192.0.2.66", stranger));
    assertEquals(200, by("192.0.2.67", stranger).path("status").asInt());
  }

  @Test
  void theReportIsAnsweredWithThePublishersKeys() throws Exception {
    ObjectNode report = SmallNode.request("signaling-report");
    ObjectNode answer = node.signaling(report);
    String tag = answer.path("publishers").path("tag").asText();
    assertEquals(
        PublisherKeys.printLine(SmallNode.JANE.getPublic()),
        answer.path("publishers").path("keys").path("jane").path(0).asText());
    assertFalse(node.signaling(report.deepCopy().put("publishers", tag)).has("publishers"));
    node.settings.publishers.remove("jane");
    ObjectNode other = node.signaling(report.deepCopy().put("publishers", tag));
    assertFalse(other.path("publishers").path("keys").has("jane"), other.toString());
  }

  // ---- trigger

  @Test
  void aTriggerThatMayStart() throws Exception {
    Trigger trigger = janes();
    ObjectNode reply = trigger(trigger, PATH_END, true);
    assertEquals(200, reply.path("status").asInt(), reply.toString());
    assertEquals(
        trigger.message(),
        NcmBinary.decode(Base64.getDecoder().decode(reply.path("message").asText())));
    ResponseEntry entry = entry(sign(reply.path("ticket").asText(), null));
    assertEquals(
        ResponseStack.Signer.VERIFIED,
        ResponseStack.of(List.of(entry))
            .verify(trigger.nonce(), Set.of(node.identity.nodeId()))
            .get(0)
            .signer());
    String line = node.auditLines().get(node.auditLines().size() - 1);
    assertTrue(line.contains("\"method\":\"TRIGGER\"") && line.contains("\"status\":200"), line);
    assertTrue(line.contains("\"user\":\"jane\""), line);
  }

  @Test
  void triggersOfStrangersAndForgersAreRefused() throws Exception {
    refused(
        403,
        "user",
        trigger(wrap(SmallNode.sign(probe("eve", FAR)), SmallNode.JANE), PATH_END, true));
    // John wraps a message that Jane signed. The codec takes it, the keys do not.
    refused(
        401,
        "signature",
        trigger(wrap(SmallNode.sign(probe("jane", FAR)), SmallNode.JOHN), PATH_END, true));
    node.settings.publishers.get("jane").revoked = true;
    refused(403, "user", trigger(janes(), PATH_END, true));
    assertEquals(1L, node.controller.service().refusals().counts().get("401 signature"));
    assertEquals(2L, node.controller.service().refusals().counts().get("403 user"));
  }

  @Test
  void triggersMustBeFreshInsideAndOutside() throws Exception {
    Ncm inside = SmallNode.sign(probe("jane", FAR));
    long now = node.loop.wall();
    refused(
        403, "date", trigger(wrap(inside, SmallNode.JANE, nonce(), now - 301_000), PATH_END, true));
    node.loop.advance(301_000);
    refused(
        403,
        "date",
        trigger(wrap(inside, SmallNode.JANE, nonce(), node.loop.wall()), PATH_END, true));
  }

  @Test
  void noncesOfWrappersAreUsedOnce() throws Exception {
    byte[] nonce = nonce();
    Trigger first =
        wrap(SmallNode.sign(probe("jane", FAR)), SmallNode.JANE, nonce, node.loop.wall());
    assertEquals(200, trigger(first, PATH_END, true).path("status").asInt());
    assertEquals(200, trigger(first, PATH_END, true).path("status").asInt(), "the same again");
    Trigger second =
        wrap(SmallNode.sign(probe("jane", FAR)), SmallNode.JANE, nonce, node.loop.wall());
    refused(409, "nonce", trigger(second, PATH_END, true));
  }

  @Test
  void triggersAreForTheLastNodeOfTheirPath() throws Exception {
    ObjectNode reply = trigger(janes(), PATH_END, false);
    refused(421, "where", reply);
    assertFalse(reply.has("ticket"));
    refused(403, "to", trigger(janes(), "198.51.100.8", true));
    ObjectNode nowhere =
        SmallNode.request("trigger").put("tlv", SmallNode.base64(janes().encode()));
    refused(403, "to", node.signaling(nowhere));
  }

  @Test
  void flowsAreStartedTowardProvenPrefixesOnly() throws Exception {
    Trigger elsewhere = wrap(SmallNode.sign(probe("jane", "192.0.3.1")), SmallNode.JANE);
    ObjectNode reply = trigger(elsewhere, PATH_END, true);
    refused(403, "to", reply);
    assertTrue(reply.path("reason").asText().contains("192.0.3.1"), reply.toString());
    Trigger six = wrap(SmallNode.sign(probe("jane", "2001:db8::1")), SmallNode.JANE);
    refused(403, "to", trigger(six, PATH_END, true));
  }

  @Test
  void triggersCountAgainstThePublisher() throws Exception {
    node.settings.publishers.get("jane").setups = 2;
    assertEquals(200, trigger(janes(), PATH_END, true).path("status").asInt());
    assertEquals(200, trigger(janes(), PATH_END, true).path("status").asInt());
    refused(429, "null", trigger(janes(), PATH_END, true));
    node.loop.advance(60_000);
    assertEquals(200, trigger(janes(), PATH_END, true).path("status").asInt());
  }

  // ---- other ops

  @Test
  void onlyTheOpsOfTheSocket() {
    for (String op : List.of("status", "reload", "counters", "", "threads")) {
      assertFalse(node.signaling(SmallNode.request(op)).path("ok").asBoolean(), op);
    }
    for (String op : List.of("sign", "trigger", "signaling-report")) {
      assertFalse(node.op(SmallNode.request(op)).path("ok").asBoolean(), op);
    }
  }

  @Test
  void theReportIsShownWhileItIsFresh() {
    ObjectNode before = node.op(SmallNode.request("status"));
    assertFalse(before.path("signaling").path("running").asBoolean());
    ObjectNode report = SmallNode.request("signaling-report");
    report.putObject("state").put("routing-states", 7).put("associations", 2);
    report.putObject("gist").put("query-received", 12).put("bad name", 1).put("text", "x");
    report.putObject("unknown").put("a", 1);
    assertTrue(node.signaling(report).path("ok").asBoolean());
    ObjectNode status = (ObjectNode) node.op(SmallNode.request("status")).path("signaling");
    assertTrue(status.path("running").asBoolean());
    assertEquals(7, status.path("routing-states").asInt());
    ObjectNode counters = (ObjectNode) node.op(SmallNode.request("counters")).path("signaling");
    assertEquals(
        Json.object().put("query-received", 12L), counters.path("gist"), counters.toString());
    assertFalse(counters.has("unknown"));
    node.loop.advance(6_001);
    assertFalse(node.op(SmallNode.request("status")).path("signaling").path("running").asBoolean());
  }

  @Test
  void healthSaysWhoAnswers() {
    ObjectNode before = node.op(SmallNode.request("health"));
    assertTrue(before.path("spawner").asBoolean());
    assertFalse(before.path("signaling").asBoolean());
    assertTrue(node.signaling(SmallNode.request("signaling-report")).path("ok").asBoolean());
    assertTrue(node.op(SmallNode.request("health")).path("signaling").asBoolean());
    node.loop.advance(6_001);
    assertFalse(node.op(SmallNode.request("health")).path("signaling").asBoolean());
  }

  @Test
  void theSpawnerIsReadyOnlyWhileContainersCanBeStarted() {
    node.controller.disconnected();
    assertFalse(node.op(SmallNode.request("health")).path("spawner").asBoolean());
    assertFalse(node.op(SmallNode.request("status")).path("spawner").asBoolean());
    node.controller.connected();
    node.loop.advance(1);
    assertTrue(node.op(SmallNode.request("health")).path("spawner").asBoolean());
    assertTrue(node.op(SmallNode.request("status")).path("spawner").asBoolean());
  }

  @Test
  void aReportOfAnySizeIsKeptSmall() {
    ObjectNode report = SmallNode.request("signaling-report");
    ObjectNode gist = report.putObject("gist");
    for (int i = 0; i < 1000; i++) {
      gist.put("c" + i, i);
    }
    node.signaling(report);
    ObjectNode counters = (ObjectNode) node.op(SmallNode.request("counters")).path("signaling");
    assertEquals(256, counters.path("gist").size());
  }
}
