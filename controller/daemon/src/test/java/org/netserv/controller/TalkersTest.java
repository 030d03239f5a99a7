// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.controller.spawner.SpawnerReply;

/** The kernel's counts as the operator sees them: bounded, and read with care. */
final class TalkersTest extends LivingNode {
  private static final String COUNT = "jane/count/6/17/2001:db8::1/5000/2001:db8::2/9/63/3/300/20";
  private static final String FLOW = "john/flow/4/6/192.0.2.1/80/192.0.2.2/4000/0/2/100/0";

  private ObjectNode ask() {
    return node.op(SmallNode.request("talkers"));
  }

  private void says(String talkers) {
    node.spawner.talkers =
        SpawnerReply.done(Map.of("records", "7", "other", "5", "talkers", talkers));
  }

  @Test
  void eachFieldHasItsName() {
    says(COUNT + "," + FLOW);
    ObjectNode answer = ask();
    assertTrue(answer.path("ok").asBoolean());
    assertEquals("", answer.path("because").asText());
    assertEquals(7, answer.path("records").asLong());
    assertEquals(5, answer.path("other").asLong());
    assertEquals(
        "[{\"publisher\":\"jane\",\"kind\":\"count\",\"family\":6,\"protocol\":17,"
            + "\"source\":\"2001:db8::1\",\"sourcePort\":5000,"
            + "\"destination\":\"2001:db8::2\",\"destinationPort\":9,"
            + "\"ttl\":63,\"packets\":3,\"bytes\":300,\"idle\":20},"
            + "{\"publisher\":\"john\",\"kind\":\"flow\",\"family\":4,\"protocol\":6,"
            + "\"source\":\"192.0.2.1\",\"sourcePort\":80,"
            + "\"destination\":\"192.0.2.2\",\"destinationPort\":4000,"
            + "\"ttl\":0,\"packets\":2,\"bytes\":100,\"idle\":0}]",
        answer.path("talkers").toString());
  }

  @Test
  void withoutAFastPathTheReasonIsTold() {
    ObjectNode answer = ask();
    assertTrue(answer.path("ok").asBoolean());
    assertEquals("fast path: bpfd is not there", answer.path("because").asText());
    assertEquals(0, answer.path("talkers").size());
  }

  @Test
  void nothingIsCounted() {
    says("");
    assertEquals("", ask().path("because").asText());
    assertEquals(0, ask().path("talkers").size());
  }

  /** The spawner tells no such thing. If it did, nothing of it would be shown as a fact. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        ",",
        "jane/count",
        COUNT + "/1",
        "jane/count/6/17/::1/x/::2/9/63/3/300/20",
        "jane/count/6/17/::1/1/::2/9/63/-3/300/20",
        "jane/count/6/17/::1/1/::2/9/63/3/9999999999999999999/20",
        FLOW + "," + "jane/count/6/17/::1/1/::2/9/63/3/300/"
      })
  void aDamagedAnswerIsNoAnswer(String talkers) {
    says(talkers);
    assertEquals("the spawner's answer is damaged", ask().path("because").asText());
    assertEquals(0, ask().path("talkers").size());
  }

  @Test
  void everyCutOfAnAnswerIsReadOrRefused() {
    String whole = COUNT + "," + FLOW;
    for (int i = 0; i < whole.length(); i++) {
      says(whole.substring(0, i));
      ObjectNode answer = ask();
      assertTrue(answer.path("ok").asBoolean());
      assertTrue(answer.path("talkers").size() <= 2);
    }
  }

  @Test
  void moreThanTheMostIsDamaged() {
    says((COUNT + ",").repeat(16) + COUNT);
    assertEquals("the spawner's answer is damaged", ask().path("because").asText());
    says((COUNT + ",").repeat(15) + COUNT);
    assertEquals(16, ask().path("talkers").size());
  }

  @Test
  void theNumberWantedIsBounded() {
    says(COUNT);
    for (String wrong : List.of("0", "17", "-1", "x", "", "4294967297")) {
      ObjectNode answer = node.op(SmallNode.request("talkers").put("most", wrong));
      assertFalse(answer.path("ok").asBoolean(), wrong);
      assertEquals("most: not a number in 1-16", answer.path("error").asText());
    }
    assertEquals(0, node.spawner.count("talkers"));
    node.op(SmallNode.request("talkers").put("most", 3));
    ask();
    assertEquals(
        List.of("3", "10"),
        node.spawner.asked.stream()
            .filter(asked -> asked.verb().equals("talkers"))
            .map(asked -> asked.values().get("most"))
            .toList());
  }
}
