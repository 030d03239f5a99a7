// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WhyTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NONE = "{\"count\":0,\"rules\":[],\"flows\":[],\"names\":[]}";

  private final FakeHost host = new FakeHost();
  private final List<String> rules = new ArrayList<>();

  WhyTest() {
    host.says(
        "ip -j route get",
        0,
        "[{\"dst\":\"192.0.2.1\",\"dev\":\"eth0\",\"gateway\":\"10.0.0.1\",\"prefsrc\":\"10.0.0.2\"}]");
  }

  private void rule(String prefix, String action, String target, int rank, int weight) {
    rules.add(
        "{\"id\":\"%s\",\"bits\":%d,\"action\":\"%s\",\"target\":\"%s\",\"rank\":%d,\"weight\":%d}"
            .formatted(
                ServiceRules.whole(prefix), prefix.length() * 4, action, target, rank, weight));
  }

  private JsonNode why(String id) throws IOException {
    return why(id, NONE, NONE);
  }

  private JsonNode why(String id, String flows, String names) throws IOException {
    String services = "{\"count\":%d,\"rules\":%s}".formatted(rules.size(), rules);
    return new Why(host, id, JSON.readTree(services), JSON.readTree(flows), JSON.readTree(names))
        .document();
  }

  /** Returns the texts of the steps of one kind. */
  static List<String> texts(JsonNode why, String step) {
    List<String> texts = new ArrayList<>();
    for (JsonNode entry : why.path("steps")) {
      if (entry.path("step").asText().equals(step)) {
        texts.add(entry.path("text").asText());
      }
    }
    return texts;
  }

  @Test
  void theLongestPrefixWinsThenTheRank() throws IOException {
    rule("", "forward", "192.0.2.9:54325", 9, 0);
    rule("40", "forward", "192.0.2.1:54325", 1, 1);
    rule("40", "forward", "192.0.2.2:54325", 1, 3);
    rule("40", "forward", "192.0.2.3:54325", 0, 9);
    JsonNode why = why("4001");
    assertEquals("a SYN goes to 192.0.2.1:54325 or 192.0.2.2:54325", why.path("verdict").asText());
    assertEquals(
        List.of(
            "192.0.2.1:54325 gets 25 % of the new connections",
            "192.0.2.2:54325 gets 75 % of the new connections"),
        texts(why, "draw"));
    List<String> lines = texts(why, "rule");
    assertEquals(4, lines.size());
    assertTrue(lines.get(2).endsWith("not used: another one has a higher rank"), lines.get(2));
    assertTrue(lines.get(3).endsWith("not used: a longer prefix matches"), lines.get(3));
    assertTrue(lines.get(3).startsWith("default/0 "), lines.get(3));
    assertEquals(
        "192.0.2.1:54325 leaves eth0 by 10.0.0.1 from 10.0.0.2", texts(why, "route").get(0));
    assertEquals(3, why.path("unknown").size());
  }

  @Test
  void aDropOfTheBestPrefixCountsAlone() throws IOException {
    rule("4001", "drop", "", 0, 0);
    rule("4001", "forward", "192.0.2.1:54325", 0, 0);
    rule("", "forward", "192.0.2.9:54325", 0, 0);
    assertTrue(why("4001").path("verdict").asText().startsWith("refused: a drop"));
    assertEquals(List.of(), texts(why("4001"), "route"));
    assertEquals("a SYN goes to 192.0.2.9:54325", why("4002").path("verdict").asText());
  }

  @Test
  void registrationsCountForConnectionsThatComeInAlone() throws IOException {
    rule("4001", "register", "[::]:80", 0, 0);
    JsonNode why = why("4001");
    assertTrue(why.path("verdict").asText().startsWith("refused: no rule"));
    assertEquals(
        List.of("connections that come in go to the listener of [::]:80"), texts(why, "here"));
    assertEquals(0, why.path("unknown").size());
  }

  @Test
  void aTargetWithoutRouteIsTold() throws IOException {
    host.says("ip -j route get 2001:db8::1", 2, "RTNETLINK answers: Network is unreachable");
    rule("4001", "forward", "[2001:db8::1]:54325", 0, 0);
    assertTrue(
        texts(why("4001"), "route").get(0).contains("has no route (NO_ROUTE): RTNETLINK"),
        texts(why("4001"), "route").get(0));
  }

  @Test
  void namesAndFlowsOfTheServiceAreShown() throws IOException {
    String id = ServiceRules.whole("4001");
    String other = ServiceRules.whole("4002");
    String names =
        ("{\"count\":3,\"names\":[{\"name\":\"web.serval\",\"id\":\"%s\",\"address4\":\"198.18.1.0\","
                + "\"address6\":\"fd73:616c::1:0:0\"},{\"name\":\"x.serval\",\"id\":\"%s\"}]}")
            .formatted(id, other);
    String flow =
        "{\"service\":\"%s\",\"side\":\"client\",\"state\":\"CONNECTED\",\"peer\":\"192.0.2.1:54325\"}";
    String flows =
        "{\"count\":9,\"flows\":[%s,%s,%s]}"
            .formatted(flow.formatted(id), flow.formatted(id), flow.formatted(other));
    JsonNode why = why("4001", flows, names);
    assertEquals(List.of("web.serval stands for it in this host's DNS"), texts(why, "name"));
    assertEquals(List.of("DNS answers 198.18.1.0 and fd73:616c::1:0:0"), texts(why, "surrogate"));
    assertEquals(List.of("2 client CONNECTED with 192.0.2.1:54325"), texts(why, "flows"));
    assertEquals(
        "6 of 9 flows, which sald's view leaves out", why.path("unknown").path(0).asText());
    assertEquals(
        "none yet; the first question to DNS gives it one",
        texts(why("4002", flows, names), "surrogate").get(0));
    assertEquals(id, Why.service(JSON.readTree(names), "WEB.serval"));
  }

  /** A target or name that a sald of another form shows must not break the command. */
  @Test
  void anOddViewIsShownAsFarAsItGoes() throws IOException {
    rules.add("{\"id\":\"40\",\"bits\":300,\"action\":\"forward\",\"target\":\"nowhere\"}");
    rules.add("{}");
    rules.add("7");
    assertEquals(64, why("4001").path("id").asText().length());
    assertEquals("00", ServiceRules.shortened(ServiceRules.whole("")));
    assertEquals("4010", ServiceRules.shortened(ServiceRules.whole("401")));
    assertEquals("00015b38", ServiceRules.shortened(ServiceRules.whole("00015b38")));
  }
}
