// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.command.JsonCommand;

/** The map of a path while its nodes come and go. */
class PathMapTest {
  private final PathMap map =
      new PathMap(JsonCommand.MAPPER.createObjectNode().put("to", "192.0.2.1").put("every", 10));

  /** Makes the document of a PROBE that these nodes answered, named by one letter each. */
  private static ObjectNode probe(String names) {
    ObjectNode document = JsonCommand.MAPPER.createObjectNode();
    document.put("outcome", "done").put("end", "port-unreachable").put("reason", "");
    ArrayNode nodes = document.putArray("nodes");
    for (int i = 0; i < names.length(); i++) {
      String name = names.substring(i, i + 1);
      nodes.addObject().put("hop", i + 1).put("node-id", name).put("status", 200);
    }
    return document;
  }

  /** Returns the nodes in the order of the map, those that are gone in capitals. */
  private String shown() {
    StringBuilder shown = new StringBuilder();
    for (JsonNode node : map.document().path("nodes")) {
      String name = node.path("node-id").asText();
      shown.append(node.has("gone") ? name.toUpperCase(java.util.Locale.ROOT) : name);
    }
    return shown.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "abc, abc, abc",
    "abc, ac, aBc",
    "abc, bc, Abc",
    "abc, ab, abC",
    "abc, adc, adBc",
    "abc, '', ABC",
    "abc, c, ABc",
    "abc, def, defABC",
    "abc, ca, Bca",
    "abcd, db, ACdb",
    "'', ab, ab",
    "abc, dabc, dabc"
  })
  void aNodeThatIsGoneKeepsItsPlace(String before, String then, String wanted) {
    map.answered(probe(before), 5, 1_000);
    map.answered(probe(then), 5, 2_000);
    assertEquals(wanted, shown());
  }

  @Test
  void theTimesAreThoseOfTheFirstAnswerWithoutTheNode() {
    map.answered(probe("ab"), 5, 1_000);
    map.answered(probe("a"), 5, 2_000);
    map.answered(probe("a"), 5, 3_000);
    JsonNode nodes = map.document().path("nodes");
    assertEquals(3_000, nodes.path(0).path("seen").asLong());
    assertFalse(nodes.path(0).has("gone"));
    assertEquals(1_000, nodes.path(1).path("seen").asLong());
    assertEquals(2_000, nodes.path(1).path("gone").asLong());
    map.answered(probe("ab"), 5, 4_000);
    assertEquals("ab", shown());
  }

  @Test
  void theDocumentHasTheProbesOwnFieldsAndTheSettings() {
    assertEquals(0, map.document().path("nodes").size());
    assertFalse(map.document().has("answered"));
    map.answered(probe("a"), 7, 1_000);
    ObjectNode document = map.document();
    assertEquals("192.0.2.1", document.path("to").asText());
    assertEquals(10, document.path("every").asInt());
    assertEquals("done", document.path("outcome").asText());
    assertEquals("port-unreachable", document.path("end").asText());
    assertEquals(7, document.path("took").asLong());
    assertEquals(1_000, document.path("answered").asLong());
    assertEquals(1, document.path("nodes").path(0).path("hop").asInt());
    assertEquals(200, document.path("nodes").path(0).path("status").asInt());
  }

  @Test
  void afterAFaultTheNodesStayAsTheyWere() {
    map.answered(probe("ab"), 5, 1_000);
    map.failed("no route to 192.0.2.1");
    assertEquals("ab", shown());
    assertEquals("no route to 192.0.2.1", map.document().path("error").asText());
    assertEquals(1_000, map.document().path("answered").asLong());
    map.answered(probe("b"), 5, 2_000);
    assertEquals("", map.document().path("error").asText());
  }

  @Test
  void aNodeThatIsGoneForLongIsForgotten() {
    map.answered(probe("ab"), 5, 1_000);
    map.answered(probe("a"), 5, 2_000);
    map.answered(probe("a"), 5, 2_000 + PathMap.FORGOTTEN_MILLIS - 1);
    assertEquals("aB", shown());
    map.answered(probe("a"), 5, 2_000 + PathMap.FORGOTTEN_MILLIS);
    assertEquals("a", shown());
  }

  @Test
  void aReaderCannotChangeTheMap() {
    ObjectNode probed = probe("a");
    map.answered(probed, 5, 1_000);
    ((ObjectNode) probed.path("nodes").path(0)).put("node-id", "x");
    ((ObjectNode) map.document().path("nodes").path(0)).put("node-id", "y");
    assertEquals("a", shown());
  }

  @Test
  void thereAreNeverMoreNodesThanTheMost() {
    Random random = new Random(17);
    for (int round = 0; round < 500; round++) {
      ObjectNode probed = probe("");
      ArrayNode nodes = (ArrayNode) probed.path("nodes");
      List<String> ids = new ArrayList<>();
      for (int i = random.nextInt(2 * PathMap.NODES_MAX); i > 0; i--) {
        String id = Integer.toString(random.nextInt(1_000));
        ids.add(id);
        nodes.addObject().put("node-id", id);
      }
      nodes.add("no object").addNull();
      map.answered(probed, 5, round * 10_000L);
      JsonNode shown = map.document().path("nodes");
      assertTrue(shown.size() <= PathMap.NODES_MAX, "round " + round);
      List<String> present = new ArrayList<>();
      shown.forEach(
          node -> {
            if (!node.has("gone")) {
              present.add(node.path("node-id").asText());
            }
          });
      assertEquals(ids.subList(0, Math.min(ids.size(), PathMap.NODES_MAX)), present);
    }
  }
}
