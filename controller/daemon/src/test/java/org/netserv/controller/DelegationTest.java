// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.ncm.DelegationGrant;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.Origin;
import org.netserv.frames.Json;
import org.netserv.ncm.Bound;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.DelegationBounds;
import org.netserv.ncm.DelegationIssuer;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.process.SourceKey;
import org.netserv.values.Addresses;
import org.netserv.values.PublisherKeys;

/** A delegate acts in its publisher's name within its bounds, and nobody else does. */
final class DelegationTest extends LivingNode {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final KeyPair ALICE =
      PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, RANDOM);
  private static final KeyPair BOB = PublisherKeys.generate(PublisherKeys.Algorithm.P256, RANDOM);

  /** The flow destination of messages of {@link SmallNode}. */
  private static final String TO = "198.51.100.7";

  @BeforeEach
  void grant() {
    grant(3600, 1000, Set.of());
  }

  private void grant(int life, int setups, Set<String> revoked) {
    node.settings.publishers.get("jane").delegation = new DelegationGrant(life, setups, revoked);
  }

  private Instant now() {
    return Instant.ofEpochMilli(node.loop.wall());
  }

  private static Map<Bound, String> bounds() {
    Map<Bound, String> values = new EnumMap<>(Bound.class);
    values.put(Bound.METHODS, "SETUP,REMOVE,PROBE");
    values.put(Bound.MODULES, "a.b;" + SmallNode.digest("a.b1.0.0"));
    values.put(Bound.TO, "198.51.100.0/24");
    values.put(Bound.FILTER_PORT, "5060");
    values.put(Bound.FILTER_PROTO, "udp");
    values.put(Bound.URL, "http://publisher.example/");
    values.put(Bound.MAX_TTL, "3600");
    return values;
  }

  private Delegation issue(KeyPair by, KeyPair delegate, Instant from, Map<Bound, String> bounds)
      throws Exception {
    return new DelegationIssuer("jane", by.getPrivate(), RANDOM)
        .issue(
            delegate.getPublic(), "alice", from, Duration.ofHours(1), DelegationBounds.of(bounds));
  }

  private Delegation usual(KeyPair delegate) throws Exception {
    return issue(SmallNode.JANE, delegate, now(), bounds());
  }

  private static Ncm sign(Ncm.Builder message, Delegation delegation, KeyPair key)
      throws Exception {
    return NcmSigner.sign(message.delegation(delegation).build(), key.getPrivate());
  }

  private Ncm setup(Delegation delegation, KeyPair key) throws Exception {
    return sign(node.setup("jane", "a.b", "1.0.0"), delegation, key);
  }

  private Ncm remove(Delegation delegation, KeyPair key) throws Exception {
    return sign(node.remove("jane", "a.b"), delegation, key);
  }

  private Answer ask(Ncm ncm) {
    return node.ask(ncm).answer();
  }

  private void refused(String wanted, Ncm ncm) {
    String before = states();
    Answer answer = ask(ncm);
    String said = answer.status() + " " + answer.header() + ": " + answer.reason();
    assertTrue(said.startsWith(wanted), said);
    assertEquals(before, states(), "nothing was done");
  }

  private NcmRequest from(Ncm ncm, String source, String peer) throws Exception {
    InetAddress flow = Addresses.parse(source);
    Origin origin = new Origin(flow, SourceKey.of(Addresses.parse(peer)));
    Optional<InetAddress> to = Optional.of(Addresses.parse(TO));
    return new NcmRequest(ncm, "signaling", 15_000, to, false, Optional.of(origin));
  }

  @Test
  void actsForItsPublisher() throws Exception {
    Delegation delegation = usual(ALICE);
    assertEquals(200, ask(setup(delegation, ALICE)).status());
    assertEquals("jane/a.b=1.0.0:running", states());
    String line = node.auditLines().get(node.auditLines().size() - 1);
    assertTrue(line.contains("\"user\":\"jane\""), line);
    assertTrue(
        line.contains(
            "\"delegate\":{\"id\":\""
                + delegation.id()
                + "\",\"serial\":\""
                + delegation.serial()
                + "\",\"subject\":\"alice\"}"),
        line);
    assertEquals(200, ask(remove(delegation, ALICE)).status());
    assertEquals("", states());
  }

  @Test
  void aRepetitionIsAnsweredAgain() throws Exception {
    Ncm setup = setup(usual(ALICE), ALICE);
    assertEquals(ask(setup), ask(setup));
  }

  @Test
  void nobodyIsADelegateWithoutTheGrant() throws Exception {
    node.settings.publishers.get("jane").delegation = null;
    refused("403 delegation: this node takes no delegates of jane", setup(usual(ALICE), ALICE));
  }

  @Test
  void otherKeysAreRefused() throws Exception {
    refused(
        "401 delegation: no key registered for this publisher has issued it",
        setup(issue(SmallNode.JOHN, ALICE, now(), bounds()), ALICE));
    refused(
        "401 delegation: no key registered for this publisher has issued it",
        setup(issue(ALICE, BOB, now(), bounds()), BOB));
    refused(
        "401 delegation: the message is not signed by the key that it is issued to",
        setup(usual(ALICE), BOB));
    refused(
        "401 delegation: the message is not signed by the key that it is issued to",
        setup(usual(ALICE), SmallNode.JANE));
    refused(
        "401 signature: ",
        NcmSigner.sign(node.setup("jane", "a.b", "1.0.0").build(), ALICE.getPrivate()));
  }

  @Test
  void anotherPublishersDelegateIsRefused() throws Exception {
    node.settings.publishers.get("john").delegation = new DelegationGrant(3600, 6, Set.of());
    Ncm ncm =
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.USER, "john"), usual(ALICE), ALICE);
    refused("403 delegation: issued by jane, not by john", ncm);
  }

  @Test
  void livesBetweenItsTwoDates() throws Exception {
    refused(
        "403 delegation: expired at ",
        setup(issue(SmallNode.JANE, ALICE, now().minusSeconds(3600), bounds()), ALICE));
    refused(
        "403 delegation: begins at ",
        setup(issue(SmallNode.JANE, ALICE, now().plusSeconds(302), bounds()), ALICE));
    Instant skewed = now().plusSeconds(299);
    assertEquals(200, ask(setup(issue(SmallNode.JANE, ALICE, skewed, bounds()), ALICE)).status());
  }

  @Test
  void policyBoundsItsLife() throws Exception {
    grant(3599, 6, Set.of());
    refused(
        "403 delegation: lives 3600 s, this node takes 3599 s at most", setup(usual(ALICE), ALICE));
  }

  @Test
  void boundsAndPolicyBothHold() throws Exception {
    Delegation delegation = usual(ALICE);
    refused(
        "403 delegation: to 203.0.113.1 is not within 198.51.100.0/24",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.TO, "203.0.113.1"), delegation, ALICE));
    refused(
        "403 delegation: module c.d is not among its modules",
        sign(node.setup("jane", "c.d", "1.0.0"), delegation, ALICE));
    node.settings.publishers.get("jane").refusal =
        new NcmException(403, Header.FILTER_PORT, "not granted");
    refused("403 filter-port: not granted", setup(delegation, ALICE));
  }

  @Test
  void theSourceIsProvenByTheHandshake() throws Exception {
    Map<Bound, String> bounds = bounds();
    bounds.put(Bound.FROM, "203.0.113.0/24");
    bounds.put(Bound.PROVEN, "yes");
    Delegation delegation = issue(SmallNode.JANE, ALICE, now(), bounds);
    NcmReply local = node.ask(setup(delegation, ALICE));
    assertEquals("delegation", local.answer().header());
    assertEquals(
        "proven: the source of the flow is not the previous hop of this node",
        node.send(from(setup(delegation, ALICE), "203.0.113.9", "192.0.2.1"))
            .get(0)
            .answer()
            .reason());
    assertEquals(
        "from 192.0.2.1 is not within 203.0.113.0/24",
        node.send(from(setup(delegation, ALICE), "192.0.2.1", "192.0.2.1"))
            .get(0)
            .answer()
            .reason());
    assertEquals(
        200,
        node.send(from(setup(delegation, ALICE), "203.0.113.9", "203.0.113.9"))
            .get(0)
            .answer()
            .status());
  }

  @Test
  void claimsAreEachDelegatesOwn() throws Exception {
    Delegation alices = usual(ALICE);
    Delegation bobs = usual(BOB);
    assertEquals(200, ask(setup(alices, ALICE)).status());
    assertEquals(200, ask(setup(bobs, BOB)).status());
    assertEquals(200, ask(SmallNode.sign(node.setup("jane", "a.b", "1.0.0"))).status());
    assertEquals(
        "claim dropped; 2 other claims keep the module", ask(remove(alices, ALICE)).reason());
    refused("404 to: session " + TO + " by " + alices.id(), remove(alices, ALICE));
    assertEquals(
        "claim dropped; 1 other claims keep the module",
        ask(SmallNode.sign(node.remove("jane", "a.b"))).reason());
    // Another certificate of the same key is the same delegate.
    assertEquals("removed", ask(remove(usual(BOB), BOB)).reason());
  }

  @Test
  void aDelegateChangesNoSettingsAndReplacesNoVersion() throws Exception {
    Ncm.Builder janes = node.setup("jane", "a.b", "1.0.0").set(Header.PROPERTIES, "a=1");
    assertEquals(200, ask(SmallNode.sign(janes)).status());
    assertEquals(200, ask(setup(usual(ALICE), ALICE)).status());
    assertEquals(Map.of("a", "1"), node.controller.modules().lives().get(0).order().properties());
    node = node.restart().begin();
    grant();
    assertEquals(Map.of("a", "1"), node.controller.modules().lives().get(0).order().properties());
    Map<Bound, String> bounds = bounds();
    bounds.put(Bound.MODULES, "a.b;" + SmallNode.digest("a.b2.0.0"));
    Delegation other = issue(SmallNode.JANE, ALICE, now(), bounds);
    node.loop.run();
    refused(
        "409 delegation: version 1.0.0 is here, and a delegate replaces none",
        sign(node.setup("jane", "a.b", "2.0.0"), other, ALICE));
  }

  @Test
  void eachDelegateCountsItsMessages() throws Exception {
    Delegation alices = usual(ALICE);
    Delegation bobs = usual(BOB);
    assertEquals(
        200,
        ask(sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 70), alices, ALICE)).status());
    refused(
        "409 seq: the last accepted one is 70",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 70), alices, ALICE));
    assertEquals(
        200, ask(sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 5), bobs, BOB)).status());
    assertEquals(
        200, ask(SmallNode.sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 6))).status());
    assertEquals(200, ask(SmallNode.sign(node.remove("jane", "*").set(Header.SEQ, 80))).status());
    refused(
        "409 seq: the last accepted one is 80",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 79), alices, ALICE));
  }

  @Test
  void theRateOfADelegateSparesItsPublisher() throws Exception {
    grant(3600, 2, Set.of());
    node.settings.publishers.get("jane").setups = 3;
    Delegation alices = usual(ALICE);
    Ncm.Builder outside = node.setup("jane", "c.d", "1.0.0");
    refused("403 delegation: module c.d", sign(outside, alices, ALICE));
    refused("403 delegation: module c.d", sign(node.setup("jane", "c.d", "1.0.0"), alices, ALICE));
    refused(
        "429 delegation: more than 2 SETUPs and REMOVEs a minute by this delegate",
        setup(alices, ALICE));
    for (int i = 0; i < 3; i++) {
      assertEquals(200, ask(SmallNode.sign(node.setup("jane", "a.b", "1.0.0"))).status());
    }
  }

  @Test
  void claimsOfOneDelegateAreBounded() throws Exception {
    Delegation alices = usual(ALICE);
    for (int i = 0; i < 16; i++) {
      Ncm.Builder message = node.setup("jane", "a.b", "1.0.0").set(Header.TO, "198.51.100." + i);
      assertEquals(200, ask(sign(message, alices, ALICE)).status());
    }
    refused(
        "403 delegation: this delegate has 16 claims on a.b already",
        sign(node.setup("jane", "a.b", "1.0.0").set(Header.TO, "198.51.100.99"), alices, ALICE));
    assertEquals(
        200,
        ask(sign(node.setup("jane", "a.b", "1.0.0").set(Header.TO, "198.51.100.3"), alices, ALICE))
            .status());
  }

  private Ncm revoke(String items) throws Exception {
    return SmallNode.sign(node.remove("jane", "*").set(Header.REVOKE, items));
  }

  @Test
  void policyRevokesSerialsAndKeys() throws Exception {
    Delegation alices = usual(ALICE);
    grant(3600, 100, Set.of(alices.serial()));
    refused("403 delegation: revoked: " + alices.serial(), setup(alices, ALICE));
    assertEquals(200, ask(setup(usual(ALICE), ALICE)).status());
    grant(3600, 100, Set.of("key:" + alices.id()));
    refused("403 delegation: revoked: key:" + alices.id(), setup(usual(ALICE), ALICE));
  }

  @Test
  void aMessageOfThePublisherRevokesAndSurvivesARestart() throws Exception {
    Delegation alices = usual(ALICE);
    Delegation bobs = usual(BOB);
    assertEquals(200, ask(setup(alices, ALICE)).status());
    assertEquals(200, ask(setup(bobs, BOB)).status());
    Answer answer = ask(revoke(alices.serial()));
    assertEquals("200 revoked", answer.status() + " " + answer.reason());
    refused("403 delegation: revoked: " + alices.serial(), setup(alices, ALICE));
    assertEquals("jane/a.b=1.0.0:running", states(), "bob's claim keeps it");
    node = node.restart().begin();
    grant();
    refused("403 delegation: revoked: " + alices.serial(), setup(alices, ALICE));
    assertEquals("removed", ask(revoke("key:" + bobs.id())).reason());
    assertEquals("", states());
    refused("403 delegation: revoked: key:" + bobs.id(), setup(usual(BOB), BOB));
    // The publisher's own SETUPs go on, also those of a clock that is behind.
    assertEquals(
        200, ask(SmallNode.sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 1))).status());
  }

  @Test
  void onlyThePublisherRevokes() throws Exception {
    Delegation alices = usual(ALICE);
    refused(
        "403 delegation: module * is not among its modules",
        sign(node.remove("jane", "*").set(Header.REVOKE, "1"), alices, ALICE));
    refused(
        "403 delegation: module * is not among its modules",
        sign(node.remove("jane", "*"), alices, ALICE));
    Ncm once = revoke("1");
    assertEquals(200, ask(once).status());
    assertEquals(200, ask(once).status(), "the stored answer");
  }

  private JsonNode probe(Ncm.Builder message, Delegation delegation) throws Exception {
    message.unset(Header.SEQ);
    Ncm ncm = delegation == null ? SmallNode.sign(message) : sign(message, delegation, ALICE);
    NcmReply reply = node.ask(ncm);
    return reply.data() == null ? refusal(reply) : reply.data();
  }

  private static JsonNode refusal(NcmReply reply) {
    return Json.object().put("refused", reply.answer().header() + ": " + reply.answer().reason());
  }

  private Ncm.Builder question(String kinds) {
    return node.message(Ncm.builder(Method.PROBE, "a.b").set(Header.PROBE, kinds), "jane");
  }

  @Test
  void aProbeTellsOfDelegates() throws Exception {
    Delegation alices = usual(ALICE);
    Delegation bobs = usual(BOB);
    ask(setup(alices, ALICE));
    ask(setup(bobs, BOB));
    ask(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    JsonNode janes = probe(question("module"), null).path("module");
    assertEquals(3, janes.path("claims").asInt());
    assertEquals(2, janes.path("delegates").size());
    JsonNode own = probe(question("module"), alices).path("module");
    assertFalse(own.has("claims"));
    assertEquals(
        "[{\"id\":\""
            + alices.id()
            + "\",\"serial\":\""
            + alices.serial()
            + "\",\"to\":\"198.51.100.7\"}]",
        own.path("delegates").toString());
    assertTrue(probe(question("node"), null).path("node").has("modules"));
    assertFalse(probe(question("node"), alices).path("node").isEmpty());
    assertFalse(probe(question("node"), alices).path("node").has("modules"));
    assertEquals(
        "delegation: probe policy is answered to the publisher alone",
        probe(question("policy"), alices).path("refused").asText());
  }

  @Test
  void probesOfADelegateAreLimited() throws Exception {
    Delegation alices = usual(ALICE);
    for (int i = 0; i < 30; i++) {
      assertFalse(probe(question("node"), alices).has("refused"));
    }
    assertEquals(
        "delegation: more than 30 PROBEs a minute by this delegate",
        probe(question("node"), alices).path("refused").asText());
    assertFalse(probe(question("node"), null).has("refused"));
  }
}
