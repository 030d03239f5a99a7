// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class RouterRulesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode reply = JSON.createObjectNode();
  private final ArrayNode rules = reply.putArray("rules");

  private ObjectNode rule(int bits, String action, String target, int priority, int weight) {
    ObjectNode rule = rules.addObject().put("prefix", "00004001").put("bits", bits);
    rule.put("action", action).put("target", target).put("priority", priority);
    return rule.put("weight", weight).put("origin", "module a").put("kernel", true);
  }

  private RouterRules explained() {
    return new RouterRules("4001", reply.put("count", rules.size()));
  }

  @Test
  void theLongestPrefixThenTheRankThenTheWeights() {
    rule(32, "forward", "192.0.2.1:1", 5, 3);
    rule(32, "forward", "192.0.2.2:1", 5, 1).put("seconds", 9).put("hits", 7);
    rule(32, "forward", "192.0.2.1:1", 5, 2); // another origin
    rule(32, "forward", "192.0.2.3:1", 4, 1);
    rule(16, "drop", "", 9, 1);
    ObjectNode why = explained().document();
    assertEquals("4001" + "0".repeat(60), why.path("id").asText());
    assertEquals("a SYN goes to 192.0.2.1:1 or 192.0.2.2:1", why.path("verdict").asText());
    List<String> said = WhyTest.texts(why, "rule");
    assertTrue(said.get(0).endsWith("weight 3, for good, 0 packets"), said.get(0));
    assertTrue(said.get(1).endsWith("weight 1, 9 s left, 7 packets"), said.get(1));
    assertTrue(said.get(2).endsWith("not used: another origin gives the same target"));
    assertTrue(said.get(3).endsWith("not used: another one has a higher rank"), said.get(3));
    assertTrue(said.get(4).endsWith("not used: a longer prefix matches"), said.get(4));
    assertEquals(
        List.of(
            "192.0.2.1:1 gets 75 % of the new connections",
            "192.0.2.2:1 gets 25 % of the new connections"),
        WhyTest.texts(why, "draw"));
    assertTrue(WhyTest.texts(why, "kernel").get(0).startsWith("the node's kernel routes"));
  }

  @Test
  void thePlaceOfARule() {
    rule(32, "forward", "192.0.2.1:1", 0, 1);
    rule(32, "forward", "[2001:db8::1]:1", 0, 1).put("kernel", false);
    assertTrue(WhyTest.texts(explained().document(), "kernel").get(0).startsWith("has some"));
    rules.remove(0);
    assertTrue(
        WhyTest.texts(explained().document(), "kernel").get(0).startsWith("not in the kernel"));
    assertEquals(
        "[{\"target\":\"[2001:db8::1]:1\",\"percent\":100,\"kernel\":false}]",
        explained().targets().toString());
  }

  @Test
  void dropDelayAndNothing() {
    assertEquals("refused: no rule (FORWARD_NO_RULE)", verdict());
    rule(16, "delay", "", 0, 1);
    rule(16, "forward", "192.0.2.1:1", 0, 1);
    assertTrue(verdict().contains("(FORWARD_HOLD)"), verdict());
    assertEquals(0, explained().targets().size());
    assertTrue(
        WhyTest.texts(explained().document(), "rule")
            .get(1)
            .endsWith("not used: a delay counts alone"));
    rules.removeAll();
    rule(16, "drop", "", 0, 1);
    assertTrue(verdict().contains("(FORWARD_RULE_DROPS)"), verdict());
    rules.removeAll();
    rule(256, "demux", "", 0, 1);
    assertEquals("a SYN goes to the router itself", verdict());
  }

  private String verdict() {
    return explained().document().path("verdict").asText();
  }

  @Test
  void rulesThatAreLeftOutAreNotKnown() {
    rule(32, "forward", "192.0.2.1:1", 0, 1);
    JsonNode why = new RouterRules("4001", reply.put("count", 300)).document();
    assertEquals(
        "299 more rules match, which this view leaves out", why.path("unknown").get(0).asText());
  }
}
