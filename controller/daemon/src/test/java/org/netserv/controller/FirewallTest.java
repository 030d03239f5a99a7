// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;

/** While the node's rules are damaged, no report about a module says that all is well. */
final class FirewallTest extends LivingNode {
  private static final String WHY =
      "packets pass it by: its firewall rules in raw4 were changed and are not back yet";

  private static Map<String, String> rules(String missing, long healed, String why) {
    return Map.of("firewall-missing", missing, "firewall-healed", "" + healed, "firewall-why", why);
  }

  private void event(String missing, long healed) {
    node.controller.event("firewall", rules(missing, healed, ""));
    node.loop.run();
  }

  private JsonNode firewall() {
    return node.op(SmallNode.request("status")).path("firewall");
  }

  private JsonNode module() {
    JsonNode container = node.op(SmallNode.request("status")).path("containers").path(0);
    return container.path("modules").path(0);
  }

  private ObjectNode why() {
    return node.op(SmallNode.request("why").put("module", "a.b"));
  }

  private String probed() throws Exception {
    Ncm ncm =
        SmallNode.sign(
            node.message(Ncm.builder(Method.PROBE, "a.b"), "jane").set(Header.PROBE, "module"));
    JsonNode module = node.ask(ncm).data().path("module");
    return module.path("state").asText() + ": " + module.path("because").asText();
  }

  private Answer refresh() throws Exception {
    return node.ask(node.setup("jane", "a.b", "1.0.0")).answer();
  }

  @Test
  void statusWhyAndProbeSayItWhileItLasts() throws Exception {
    setup("jane", "a.b", "1.0.0");
    event("raw4,fence", 0);
    assertEquals("damaged", firewall().path("state").asText());
    assertEquals("[\"raw4\",\"fence\"]", firewall().path("parts").toString());
    assertFalse(firewall().path("last").has("millis"), "it lasts");
    assertEquals("bypassed", module().path("state").asText());
    assertEquals(WHY, module().path("because").asText());
    assertEquals("bypassed", why().path("state").asText());
    assertEquals(WHY, why().path("because").asText());
    assertEquals("bypassed: " + WHY, probed());
    event("", 1);
    assertEquals("ok", firewall().path("state").asText());
    assertEquals("running", module().path("state").asText());
    assertEquals("running", why().path("state").asText());
    assertTrue(probed().startsWith("running: "), probed());
  }

  @Test
  void aRefreshIsRefusedMeanwhileAndChangesNothing() throws Exception {
    setup("jane", "a.b", "1.0.0");
    long expires = module().path("expires").asLong();
    node.loop.advance(10_000);
    event("raw4", 0);
    Answer answer = refresh();
    assertEquals(503, answer.status());
    assertEquals(WHY + "; try again", answer.reason());
    assertEquals(expires - 10, module().path("expires").asLong(), "the claim is no longer");
    event("", 1);
    assertEquals(200, refresh().status());
    assertEquals(1, node.agents.get("jane").count("install"));
  }

  @Test
  void aShortDamageIsCountedAndNamedAfterwards() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.controller.event("firewall", rules("raw4", 6, ""));
    node.controller.event("firewall", rules("raw4,forward4", 6, ""));
    node.loop.advance(12);
    event("", 7);
    assertEquals(7, firewall().path("healed").asLong());
    assertEquals("[\"raw4\",\"forward4\"]", firewall().path("last").path("parts").toString());
    assertEquals(12, firewall().path("last").path("millis").asLong());
    assertEquals(
        "packets passed it by for 12 ms: its firewall rules in raw4 were changed;"
            + " put back 7 times so far",
        reasons().reduce((a, b) -> b).orElse(""));
  }

  private Stream<String> reasons() {
    return StreamSupport.stream(why().path("history").spliterator(), false)
        .map(entry -> entry.path("reason").asText());
  }

  @Test
  void damageAgainAndAgainLeavesOneLineOfHistory() throws Exception {
    setup("jane", "a.b", "1.0.0");
    long before = reasons().count();
    for (int i = 1; i <= 200; i++) {
      event("raw4", i - 1);
      event("", i);
    }
    assertEquals(before + 1, reasons().count());
  }

  @Test
  void otherPartsAndFamiliesLeaveTheModuleAtWork() throws Exception {
    setup("jane", "a.b", "1.0.0");
    event("raw6,forward4,fence", 0);
    assertEquals("damaged", firewall().path("state").asText());
    assertEquals("running", module().path("state").asText());
    assertEquals(200, refresh().status());
  }

  @Test
  void rulesThatCannotBeWrittenAreNoDamage() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.controller.event("firewall", rules("", 0, "iptables-nft-restore: line 3 failed"));
    assertEquals("failing", firewall().path("state").asText());
    assertEquals("iptables-nft-restore: line 3 failed", firewall().path("why").asText());
    assertEquals("running", module().path("state").asText());
  }

  @Test
  void theReplyToPrepareSaysItAndALostSpawnerSaysNothing() throws Exception {
    assertEquals("unknown", firewall().path("state").asText(), "this spawner does not say");
    setup("jane", "a.b", "1.0.0");
    Map<String, String> reply = new HashMap<>(node.spawner.layers);
    reply.putAll(rules("raw4", 3, "no room"));
    node.spawner.layers = reply;
    node.controller.disconnected();
    assertEquals("unknown", firewall().path("state").asText());
    node.controller.connected();
    node.loop.run();
    assertEquals("damaged", firewall().path("state").asText());
    assertEquals(3, firewall().path("healed").asLong());
    assertEquals(WHY + ": no room; try again", refresh().reason());
  }

  @Test
  void whatTheSpawnerSaysIsBounded() {
    String names = IntStream.range(0, 1_000).mapToObj(i -> "y" + i).collect(joining(","));
    event("x".repeat(4_000) + "," + names, 0);
    event(names, 0);
    assertEquals(16, firewall().path("parts").size());
    assertEquals(16, firewall().path("last").path("parts").size());
    event("x".repeat(4_000), 0);
    assertTrue(firewall().path("parts").path(0).asText().length() <= 32);
  }
}
